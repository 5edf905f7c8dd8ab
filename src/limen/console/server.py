"""The web server of the console: the page, its API, and its live updates."""

from __future__ import annotations

import asyncio
import contextlib
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limen.errors import InvalidInput, LimenError

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

STATIC = Path(__file__).parent / "static"
_LARGEST_MESSAGE = 1 << 14  # of a browser, in bytes


def application(
    folder: str | Path,
    name: str = "",
    *,
    token: str | None = None,
    tiles: str | None = None,
    roads: str | Path | None = None,
) -> ASGIApp:
    """Return the console of a telemetry folder as a web application."""
    try:
        from starlette.applications import Starlette  # noqa: PLC0415  # an extra
        from starlette.routing import Mount, Route, WebSocketRoute  # noqa: PLC0415
        from starlette.staticfiles import StaticFiles  # noqa: PLC0415
    except ImportError as error:
        raise LimenError("the console is not installed", hint="pip install 'limen[console]'") from error

    from limen.console.guard import Guard  # noqa: PLC0415  # after the test for the extra
    from limen.console.live_state import LiveState  # noqa: PLC0415
    from limen.console.push import Hub  # noqa: PLC0415
    from limen.console.routes import ApiRoutes  # noqa: PLC0415

    live = LiveState(folder)
    hub = Hub(live)
    routes = ApiRoutes(live, hub, name=name, token=token, tiles=tiles, roads=roads)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(hub.watch())
        yield
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching

    found: list[Any] = [
        Route("/", routes.page),
        Route("/login", routes.login, methods=["GET", "POST"]),
        *(Route(f"/api/{path}", endpoint, methods=[method]) for method, path, endpoint in routes.api()),
        WebSocketRoute("/live", hub.serve),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=found, lifespan=lifespan), token, tiles)


def serve(
    folder: str | Path,
    name: str = "",
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    token: str | None = None,
    tiles: str | None = None,
    roads: str | Path | None = None,
    open_browser: bool = False,
) -> None:
    """Show a job in browsers until interrupted.

    Parameters
    ----------
    folder
        The telemetry folder of the job; it need not exist yet.
    name
        The name of the job, until its telemetry has one.
    host, port
        Where to listen. An address that others can reach demands a token.
    token
        The token that a user must enter, if any.
    tiles
        The address of map tiles, as in ``https://tiles.example.org/{z}/{x}/{y}.png``. By default the map has none, and
        nothing is loaded from elsewhere.
    roads
        A file of roads to draw under the vehicles: GeoJSON, or arrays `xy` and `ends` in an .npz file.
    open_browser
        Whether to open a browser.
    """
    app = application(folder, name, token=token, tiles=tiles, roads=roads)
    from limen.console.guard import check_address  # noqa: PLC0415  # an extra, which `application` has tested

    check_address(host, token)
    if roads and not Path(roads).is_file():
        raise InvalidInput(where="roads", expected="a file", got=str(roads))
    server = web_server(app, host, port)
    if open_browser:
        webbrowser.open(f"http://{'localhost' if host == '127.0.0.1' else host}:{port}/")
    with contextlib.suppress(KeyboardInterrupt):
        server.run()


def web_server(app: ASGIApp, host: str, port: int) -> uvicorn.Server:
    """Return a server for an application: without a server header, and with short messages only."""
    import uvicorn  # noqa: PLC0415  # an extra

    config = uvicorn.Config(
        app, host=host.strip("[]"), port=port, log_level="warning", access_log=False, ws_max_size=_LARGEST_MESSAGE,
        server_header=False, timeout_graceful_shutdown=2, proxy_headers=False, ws_per_message_deflate=False,
    )  # fmt: skip
    return uvicorn.Server(config)
