"""The HTTP routes of the console: the page, the login, and the endpoints below /api."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from limen.console import views, wire
from limen.console.background import read_background
from limen.console.control import Control, as_problem
from limen.console.guard import cookie_of, same
from limen.console.live_state import LiveState
from limen.console.push import Hub
from limen.console.server import STATIC
from limen.console.why import why_event, why_not
from limen.errors import InvalidInput, LimenError
from limen.formats.query_json import Plain

_LONGEST = 20_000  # characters of a text parameter


class ApiRoutes:
    """Handle requests."""

    def __init__(
        self,
        live: LiveState,
        hub: Hub,
        *,
        name: str,
        token: str | None,
        tiles: str | None,
        roads: str | Path | None,
    ) -> None:
        self._live, self._hub = live, hub
        self._name, self._token, self._tiles, self._roads = name, token, tiles, roads
        self._control = Control(live)

    def api(self) -> list[tuple[str, str, Any]]:
        """Return the methods, paths and endpoints of the API."""
        live = self._live
        reading: dict[str, Callable[[RequestParameters], Any]] = {
            "overview": lambda _: views.overview(live, self._name, self._tiles),
            "queries": lambda parameters: views.page_of_queries(
                live,
                page=parameters.whole("page", 0),
                size=min(parameters.whole("size", 50), 200),
                text=parameters.text("text"),
                family=parameters.text("family"),
                sort=parameters.text("sort") or "events",
            ),
            "shapes": lambda parameters: views.shapes_in(live, parameters.box()),
            "query": lambda parameters: _maybe(parameters, views.query_of, live, parameters.text("id")),
            "stream": lambda parameters: _maybe(
                parameters,
                views.stream_of,
                live,
                id=parameters.text("id") or None,
                slot=parameters.whole("slot", 0) if parameters.has("slot") else None,
            ),
            "streams": lambda parameters: views.streams_like(live, parameters.text("text")),
            "events": lambda parameters: live.feed.latest(
                min(parameters.whole("limit", 100), 500),
                query=parameters.text("query"),
                kind=parameters.text("kind"),
                stream=parameters.text("stream"),
                before=parameters.whole("before", 0) if parameters.has("before") else None,
            ),
            "why": lambda parameters: (
                why_event(live, parameters.text("event"))
                if parameters.has("event")
                else why_not(live, parameters.text("stream"), parameters.text("query"))
            ),
        }
        doing: dict[str, Callable[[Plain], Any]] = {
            "register": lambda body: self._control.register(_object(body, "query"), drawn=bool(body.get("drawn"))),
            "drop": lambda body: self._control.drop(_text(body, "id")),
            "pause": lambda body: self._control.pause(_text(body, "id")),
            "resume": lambda body: self._control.resume(_text(body, "id")),
            "sql": lambda body: self._control.sql(_text(body, "sql"), send=True),
            "check": lambda body: self._check(_text(body, "sql")),
        }
        return [
            *(("GET", path, self._reader(answer)) for path, answer in reading.items()),
            *(("POST", path, self._doer(action)) for path, action in doing.items()),
            ("GET", "roads", self.roads),
        ]

    def _reader(self, answer: Callable[[RequestParameters], Any]) -> Any:
        def locked(parameters: RequestParameters) -> Any:
            with self._live.lock:
                return answer(parameters)

        async def endpoint(request: Request) -> Response:
            try:
                found = await run_in_threadpool(locked, RequestParameters(request))
            except LimenError as error:
                return _json(as_problem(error), 400)
            return _json(found)

        return endpoint

    def _doer(self, action: Callable[[Plain], Any]) -> Any:
        async def endpoint(request: Request) -> Response:
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return _json({"error": "A change is sent as application/json."}, 415)
            try:
                body = json.loads(await request.body())
                if not isinstance(body, dict):
                    raise InvalidInput(where="request", expected="a JSON object", got=type(body).__name__)
                found = await run_in_threadpool(action, body)
            except ClientDisconnect:
                return PlainTextResponse("too much", 413)
            except LimenError as error:
                return _json(as_problem(error), 400)
            except (ValueError, RecursionError):
                return _json({"error": "The request is not JSON."}, 400)
            await self._hub.notify()
            return _json(found)

        return endpoint

    def _check(self, text: str) -> Plain:
        """Return what statements would do; an error in them is returned as a normal response."""
        try:
            return {"found": self._control.sql(text, send=False)}
        except LimenError as error:
            return as_problem(error)

    async def page(self, _: Request) -> Response:
        """Return the page."""
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def login(self, request: Request) -> Response:
        """Return the login page, or log in with the token."""
        if request.method == "POST":
            body = (await request.body())[:4096]
            given = parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0]
            if self._token and same(given, self._token):
                return RedirectResponse("/", 303, {"set-cookie": cookie_of(self._token, request.scope)})
            await asyncio.sleep(0.5)  # slows down guessing
            return self._door('<p role="alert">The token is wrong.</p>', 401)
        return self._door("", 200)

    def _door(self, message: str, status: int) -> Response:
        page = (STATIC / "login.html").read_text(encoding="utf-8")
        return HTMLResponse(page.replace("<!-- wrong -->", message), status)

    async def roads(self, _: Request) -> Response:
        """Return the roads to draw, as bytes."""
        try:
            found = await run_in_threadpool(read_background, self._live.folder, self._roads)
        except LimenError as error:
            return _json(as_problem(error), 400)
        if found is None:
            return Response(status_code=204)
        return Response(wire.roads(*found), media_type="application/octet-stream")


class RequestParameters:
    """The parameters of a request."""

    def __init__(self, request: Request) -> None:
        self._given = request.query_params

    def has(self, name: str) -> bool:
        """Return whether a parameter is given."""
        return name in self._given

    def text(self, name: str) -> str:
        """Return a text parameter, empty if it is not given."""
        return self._given.get(name, "")[:_LONGEST]

    def whole(self, name: str, default: int) -> int:
        """Return a parameter that is a whole number from 0."""
        given = self._given.get(name)
        if given is None:
            return default
        if not given.isdigit() or len(given) > 15:
            raise InvalidInput(where=name, expected="a whole number", got=given)
        return int(given)

    def box(self) -> tuple[float, float, float, float]:
        """Return west, south, east and north."""
        try:
            west, south, east, north = (float(self._given[name]) for name in ("west", "south", "east", "north"))
        except (KeyError, ValueError):
            raise InvalidInput(where="box", expected="west, south, east and north", got=str(self._given)) from None
        if not (west < east and south < north):
            raise InvalidInput(where="box", expected="west < east and south < north", got=str(self._given))
        return west, south, east, north


def _maybe(parameters: RequestParameters, view: Callable[..., Plain], *arguments: Any, **named: Any) -> Plain | None:
    """Return a view; if its object does not exist and the request has `maybe`, return None."""
    try:
        return view(*arguments, **named)
    except InvalidInput:
        if parameters.has("maybe"):
            return None
        raise


def _json(content: Any, status: int = 200) -> Response:
    return JSONResponse(content, status, headers={"cache-control": "no-store"})


def _object(body: Plain, key: str) -> Any:
    if isinstance(body.get(key), dict):
        return body[key]
    raise InvalidInput(where=key, expected="a JSON object", got=repr(body.get(key)))


def _text(body: Plain, key: str) -> Any:
    if isinstance(body.get(key), str) and body[key]:
        return body[key]
    raise InvalidInput(where=key, expected="a text", got=repr(body.get(key)))
