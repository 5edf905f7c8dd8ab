"""How a job ended, as a number that a supervisor can act upon."""

from enum import IntEnum


class Code(IntEnum):
    """Exit codes of `limen run`."""

    DONE = 0  # all input processed, or stopped by a signal
    FAILED = 1  # something outside broke; starting again may help, and loses nothing
    WRONG = 2  # the job file, its queries or its columns; starting again does not help
    CHECKPOINT = 3  # it is another job's, in use, damaged, or cannot be written; starting again does not help
    BROKEN_OFF = 130  # stopped at once by a second signal
