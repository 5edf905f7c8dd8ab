"""Access control: the checks that every request passes before it reaches the application."""

import asyncio
import hashlib
import hmac
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from limen.errors import InvalidInput

COOKIE = "limen_console"
#: The largest body of a request, in bytes.
MOST_BYTES = 1 << 20
_SAFE = ("GET", "HEAD", "OPTIONS")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_OPEN = ("/login", "/static/styles/login.css", "/static/favicon.svg")
_SECOND_THOUGHT = 0.5  # seconds that a wrong token costs


def is_local(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    return host.strip("[]") in _LOCAL


def check_address(host: str, token: str | None) -> None:
    """Refuse an address that others can reach, unless there is a token.

    Examples
    --------
    >>> check_address("0.0.0.0", None)
    Traceback (most recent call last):
    limen.errors.InvalidInput: console: expected a token, since others can reach 0.0.0.0, got none. Hint: set \
LIMEN_CONSOLE_TOKEN to a long random text, or leave the host at 127.0.0.1
    """
    if token is not None and len(token) < 8:
        raise InvalidInput(where="console: token", expected="8 characters or more", got=f"{len(token)}")
    if not is_local(host) and not token:
        raise InvalidInput(
            where="console",
            expected=f"a token, since others can reach {host}",
            got="none",
            hint="set LIMEN_CONSOLE_TOKEN to a long random text, or leave the host at 127.0.0.1",
        )


def policy(tiles: str | None) -> str:
    """Return what the page may load: itself, and the map tiles that the user has named."""
    images = "'self' data:"
    if tiles and (parts := urlsplit(tiles)).scheme in ("http", "https"):
        images += f" {parts.scheme}://{parts.netloc.replace('{s}', '*')}"
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {images}; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


class Guard:
    """Refuse requests from other sites, and requests without the token.

    The token is None if only this machine can reach the console; `tiles` is the address of map tiles.
    """

    def __init__(self, app: ASGIApp, token: str | None = None, tiles: str | None = None) -> None:
        self._app, self._token = app, token
        self._headers = {
            "content-security-policy": policy(tiles),
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",  # with none, forms of our own would come without an origin
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        try:
            response = self._refusal(request)
        except ValueError:  # a host or an origin that is none
            response = PlainTextResponse("The request cannot be read.", 400)
        if response is None and not self._known(request) and scope["path"] not in _OPEN:
            response = await self._stranger(request)
        if response is None:
            await self._app(scope, _limited(receive) if scope["type"] == "http" else receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, bytes(response.body).decode())(scope, receive, send)
        else:
            await response(scope, receive, self._with_headers(send))

    def _refusal(self, request: HTTPConnection) -> Response | None:
        """Return the response to a request that no token would make acceptable; None for others."""
        scope, headers = request.scope, request.headers
        host = headers.get("host", "")
        # DNS rebinding: a foreign host name that resolves to this machine would let its page use this console.
        if self._token is None and not is_local(urlsplit(f"//{host}").hostname or ""):
            return PlainTextResponse("This console answers to localhost only.", 421)
        changing = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get("origin")
        foreign = changing and (origin is None or urlsplit(origin).netloc != host)
        if headers.get("sec-fetch-site") == "cross-site" and (changing or scope["path"].startswith("/api/")):
            foreign = True
        if foreign:
            return PlainTextResponse("The request comes from another site.", 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return PlainTextResponse(f"A request may have {MOST_BYTES:,} bytes.", 413)
        return None

    def _known(self, request: HTTPConnection) -> bool:
        if self._token is None:
            return True
        given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        if given and same(given, self._token):
            return True
        return same(request.cookies.get(COOKIE, ""), pass_of(self._token))

    async def _stranger(self, request: HTTPConnection) -> Response:
        """Accept the token of a URL, redirect to the login page, or refuse the request."""
        scope, token = request.scope, self._token or ""
        given = request.query_params.get("token", "")
        quiet = {"referrer-policy": "no-referrer"}  # the address has the token
        if scope["type"] == "http" and given:
            if same(given, token):
                # Two slashes would lead to another site.
                target = "/" + scope["path"].lstrip("/")
                return RedirectResponse(target, 303, {**quiet, "set-cookie": cookie_of(token, scope)})
            await asyncio.sleep(_SECOND_THOUGHT)
            return PlainTextResponse("The token is wrong.", 401)
        if scope["type"] == "http" and scope["path"] == "/" and scope["method"] in _SAFE:
            return RedirectResponse("/login", 303, quiet)
        return PlainTextResponse("A token is needed.", 401)

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sending


def same(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def pass_of(token: str) -> str:
    """Return the cookie value that proves knowledge of the token; the token cannot be derived from it."""
    return hmac.new(token.encode(), b"a visitor of the Limen console", hashlib.sha256).hexdigest()


def cookie_of(token: str, scope: Scope) -> str:
    """Return the Set-Cookie header of a successful login; no script and no other site can use the cookie."""
    secure = "; Secure" if scope.get("scheme") in ("https", "wss") else ""
    return f"{COOKIE}={pass_of(token)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800{secure}"


def _limited(receive: Receive) -> Receive:
    """Count the bytes of a body, whatever its declared length; disconnect above the maximum."""
    total = 0

    async def receiving() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        return {"type": "http.disconnect"} if total > MOST_BYTES else message

    return receiving
