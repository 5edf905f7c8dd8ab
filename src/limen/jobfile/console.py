"""The console's part of a job file: where the job publishes its status, and the page that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from limen.errors import InvalidInput
from limen.jobfile.endpoints import local_path, located
from limen.jobfile.section import Section

if TYPE_CHECKING:
    from limen.telemetry.settings import TelemetrySettings

HOST, PORT = "127.0.0.1", 8080
#: The environment variable of the access token, which has no place in a file.
TOKEN = "LIMEN_CONSOLE_TOKEN"  # noqa: S105  # a name
_TILES = re.compile(r"https?://(?=\S*\{z\})(?=\S*\{x\})(?=\S*\{y\})\S+")


@dataclass(frozen=True, slots=True)
class ConsolePlace:
    """Where a job is to be seen.

    Attributes
    ----------
    telemetry
        Whether the job publishes status even if it is not started with its console.
    settings
        Where it publishes, and how much; None where there is no such place.
    host, port
        Of the page.
    tiles
        Address of map tiles, with {z}, {x} and {y}.
    roads
        A file of lines to draw below everything.
    """

    telemetry: bool
    settings: TelemetrySettings | None
    host: str = HOST
    port: int = PORT
    tiles: str | None = None
    roads: str | None = None

    def telemetry_settings(self) -> TelemetrySettings:
        """Return where the job publishes status; raise an error if there is no such place."""
        if self.settings is None:
            raise InvalidInput(
                where="console: folder",
                expected="a folder on a disk that the job, its workers and the console share",
                got="none, and the checkpoint is elsewhere",
                hint='[console] folder = "/shared/…"',
            )
        return self.settings


def read_console(section: Section, checkpoint: str, folder: Path) -> ConsolePlace:
    """Read the table `console`; telemetry is beside the checkpoint by default."""
    from limen.telemetry.settings import EVENTS, STREAMS, TelemetrySettings  # noqa: PLC0415  # its package loads Arrow

    table = section.section("console")
    beside = local_path(checkpoint.rstrip("/")) if checkpoint else None
    default = None if beside is None else f"{beside}-window"
    if table is None:
        return ConsolePlace(telemetry=False, settings=None if default is None else TelemetrySettings(default))
    given = table.text("folder")
    place = default
    if given:
        place = str(local_path(located(given, folder)) or "") or None
        if place is None:
            table.complain(("folder",), expected="a folder on a disk that driver and workers share", got=given)
    telemetry = table.flag("window")
    if telemetry and place is None and not given:
        table.complain(
            (),
            expected="a key 'folder': where the job publishes its status, on a disk that driver and workers share",
            got="none, and the checkpoint is elsewhere",
        )
    for secret in ("token", "password"):
        if secret in table:
            hint = f"the environment variable {TOKEN} holds it"
            table.complain((secret,), expected="no secrets in a job file", got=f"a key {secret!r}", hint=hint)
            table.value(secret)
    streams = table.whole("streams", STREAMS, most=1_000_000)
    events = table.whole("events", EVENTS, most=1_000_000)
    found = ConsolePlace(
        telemetry=telemetry,
        settings=None if place is None else TelemetrySettings(place, streams, events),
        host=table.text("host", HOST),
        port=table.whole("port", PORT, most=65535),
        tiles=_read_tiles(table),
        roads=_read_roads(table, folder),
    )
    table.end()
    return found


def _read_tiles(table: Section) -> str | None:
    tiles: str | None = table.text("tiles")
    if tiles is not None and not _TILES.fullmatch(tiles):
        expected = "the address of map tiles, such as https://tiles.example.org/{z}/{x}/{y}.png"
        table.complain(("tiles",), expected=expected, got=tiles)
    return tiles


def _read_roads(table: Section, folder: Path) -> str | None:
    given = table.text("roads")
    if given is None:
        return None
    path = local_path(located(given, folder))
    if path is None or not path.exists():
        table.complain(("roads",), expected="a file that exists: GeoJSON lines, or nodes and edges", got=given)
    return str(path)
