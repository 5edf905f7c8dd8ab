"""The health of a job, as a word: waiting, starting, running, quiet, killed, ended or failed."""

import time

from limen.console.series import Series, read_time
from limen.formats.query_json import Plain

_OVER = {
    "failed": "The job failed without a reason.",
    "ended": "The job has ended; what it did is still here.",
}
_KILLED = "The job gives no sign of life: it was killed, or its machine is gone. Start it again and it goes on."
_QUIET = 15.0  # seconds without a batch, unless batches are rarer than that


def health(job: Plain | None, *, alive: bool, series: Series, now: float | None = None) -> Plain:
    """Return the health of a job.

    Parameters
    ----------
    job
        The contents of its `job.json`, None if there is none.
    alive
        Whether it gave a sign of life lately.
    series
        The batches so far.
    now
        Seconds since 1970, by default those of the clock.

    Returns
    -------
    dict
        `state`, one word; and `text`, a sentence with the reason.
    """
    if job is None:
        return {"state": "waiting", "text": "No job has written here yet. The page begins when one starts."}
    state, reason = job.get("state"), job.get("reason")
    if state in _OVER:
        return {"state": state, "text": reason or _OVER[state]}
    if not alive:
        return {"state": "killed", "text": _KILLED}
    now, began = time.time() if now is None else now, read_time(job.get("began"))
    written = series.latest["written"] if series.latest else None
    if state == "starting" or series.latest is None or (written and began and written < began):
        return {"state": "starting", "text": reason or _starting(now - began / 1e6 if began else 0.0)}
    waited = now - written / 1e6 if written else 0.0
    if waited > max(_QUIET, 5 * float(job.get("trigger") or 0), 5 * series.latest["milliseconds"] / 1000):
        return {"state": "quiet", "text": f"The job runs, but no rows have come for {waited:.0f} seconds."}
    return {"state": "running", "text": "The job is running."}


def _starting(waited: float) -> str:
    began = f"has been starting for {waited // 10 * 10:.0f} seconds" if waited >= 10 else "is starting"
    return (
        f"The job {began}. Spark takes some seconds; the very first start takes a minute or two more,"
        " in which what the queries need is compiled."
    )
