"""Maven Central: which versions there are, and jars with all they need, fetched by the Ivy that comes with Spark."""

import fcntl
import functools
import importlib.util
import shutil
import subprocess
import tempfile
import threading
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

CACHE = Path.home() / ".cache" / "limen-tests"

_CENTRAL = "https://repo1.maven.org/maven2/"
_BRIEF = 5.0  # seconds for an answer of a few kilobytes
_LONG = 600.0  # seconds for some fifty jars

_IVY = """<ivy-module version="2.0">
  <info organisation="limen" module="tests"/>
  <dependencies>
    {}
  </dependencies>
</ivy-module>
"""
_WISH = '<dependency org="{}" name="{}" rev="{}" conf="*->default"/>'
_WITHOUT = '<exclude org="{}" module="{}"/>'
_INSTEAD = '<override org="{}" module="{}" rev="{}"/>'


class Unavailable(Exception):
    """What was asked for cannot be had on this machine now; the message says why."""


@functools.cache
def versions(group: str, artifact: str) -> list[str]:
    """Return the versions of an artifact that Maven Central lists."""
    answer = _read(f"{group.replace('.', '/')}/{artifact}/maven-metadata.xml")
    return [version.text or "" for version in ET.fromstring(answer).iter("version")]


def fetch(wishes: Sequence[str], folder: Path, *, without: Sequence[str] = (), instead: Sequence[str] = ()) -> None:
    """Put artifacts and all they depend on into a folder, once: where there is the folder, nothing is done.

    Processes that want the same folder wait for the first of them.

    Parameters
    ----------
    wishes
        Coordinates of the artifacts: "group:artifact:version".
    folder : Path
        Where to.
    without
        What is there anyway: "group:artifact", or "group:*".
    instead
        Coordinates of what is taken in the place of other versions, where a wish depends on them.
    """
    if folder.exists():
        return
    java = shutil.which("java")
    if java is None:
        raise Unavailable("there is no java on the path")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(folder.name + ".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if folder.exists():  # while we waited
            return
        for each in wishes:  # without a network, Ivy would try for minutes
            group, artifact, version = each.split(":")
            if version not in versions(group, artifact):
                raise Unavailable(f"Maven Central does not list {each}")
        content = [_WISH.format(*each.split(":")) for each in wishes]
        content += [_WITHOUT.format(*each.split(":")) for each in without]
        content += [_INSTEAD.format(*each.split(":")) for each in instead]
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=folder.name) as made:
            _retrieve(java, content, Path(made))
            # By name at once and in full, so that nobody ever sees half of it.
            (Path(made) / "jars").rename(folder)


def _retrieve(java: str, content: Sequence[str], folder: Path) -> None:
    description = folder / "ivy.xml"
    description.write_text(_IVY.format("\n    ".join(content)))
    pattern = folder / "jars" / "[artifact]-[revision].[ext]"
    command: list[str | Path] = [
        java,
        "-jar",
        _ivy(),
        "-warn",
        "-cache",
        folder / "cache",
        "-ivy",
        description,
        "-retrieve",
        pattern,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONG, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Ivy fetched for {_LONG:.0f} s and was not done") from None
    if done.returncode != 0:
        raise Unavailable(f"Ivy could not fetch: {(done.stdout + done.stderr)[-2000:]}")


def _ivy() -> Path:
    spark = importlib.util.find_spec("pyspark")
    if spark is None or spark.origin is None:
        raise Unavailable("Ivy comes with pyspark, and there is no pyspark")
    return next((Path(spark.origin).parent / "jars").glob("ivy-*.jar"))


def _read(path: str) -> bytes:
    """Return a file of Maven Central, or raise Unavailable, within seconds in any case."""
    answers: list[bytes | Exception] = []

    def ask() -> None:
        try:
            with urllib.request.urlopen(_CENTRAL + path, timeout=_BRIEF) as answer:
                answers.append(answer.read())
        except OSError as trouble:
            answers.append(trouble)

    # Looking up a name knows no timeout, so somebody else does it.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(2 * _BRIEF)
    answer = answers[0] if answers else TimeoutError(f"no answer within {2 * _BRIEF:.0f} s")
    if isinstance(answer, Exception):
        raise Unavailable(f"{_CENTRAL}{path} cannot be read: {answer}")
    return answer
