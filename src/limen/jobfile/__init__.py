"""Job files: the configuration of `limen run`, read from TOML and checked line by line."""

from limen.jobfile.job_file import JobFile, read_job, read_page

__all__ = ["JobFile", "read_job", "read_page"]
