"""Access control: the checks that every request passes before it reaches the application."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from limen.errors import InvalidInput

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "limen_console"
#: The largest body of a request, in bytes.
MOST_BYTES = 1 << 20
_SAFE = ("GET", "HEAD", "OPTIONS")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_OPEN = ("/login", "/static/login.css", "/static/favicon.svg")
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

    Parameters
    ----------
    app
        The application behind the checks.
    token
        The token that a request must carry; None if only this machine can reach the console.
    tiles
        The address of map tiles.
    """

    def __init__(self, app: ASGIApp, token: str | None = None, tiles: str | None = None) -> None:
        self._app, self._token = app, token
        self._headers = [
            (b"content-security-policy", policy(tiles).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"same-origin"),  # with none, forms of our own would come without an origin
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cross-origin-opener-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            refusal = self._refusal(scope, headers)
        except ValueError:  # a host or an origin that is none
            refusal = 400, "The request cannot be read."
        if refusal is None and not self._known(headers) and scope["path"] not in _OPEN:
            refusal = await self._stranger(scope, send)
            if refusal is None:
                return
        if refusal is not None:
            await _refuse(scope, send, *refusal, self._headers)
            return
        await self._app(scope, _limited(receive) if scope["type"] == "http" else receive, self._with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        # DNS rebinding: a foreign host name that resolves to this machine would let its page use this console.
        if self._token is None and not is_local(urlsplit(f"//{host}").hostname or ""):
            return 421, "This console answers to localhost only."
        changing = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get("origin")
        if changing and (origin is None or urlsplit(origin).netloc != host):
            return 403, "The request comes from another site."
        if headers.get("sec-fetch-site") == "cross-site" and (changing or scope["path"].startswith("/api/")):
            return 403, "The request comes from another site."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return 413, f"A request may have {MOST_BYTES:,} bytes."
        return None

    def _known(self, headers: dict[str, str]) -> bool:
        if self._token is None:
            return True
        given = headers.get("authorization", "").removeprefix("Bearer ").strip()
        if given and same(given, self._token):
            return True
        cookie: SimpleCookie = SimpleCookie()
        try:
            cookie.load(headers.get("cookie", ""))
        except Exception:  # noqa: BLE001  # whatever is wrong with it, it is none
            return False
        return COOKIE in cookie and same(cookie[COOKIE].value, pass_of(self._token))

    async def _stranger(self, scope: Scope, send: Send) -> tuple[int, str] | None:
        """Accept the token of a URL, or redirect to the login page; None if the response was sent."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and given:
            if same(given, self._token or ""):
                await _redirect(send, scope["path"], [(b"set-cookie", cookie_of(self._token or "", scope).encode())])
                return None
            await asyncio.sleep(_SECOND_THOUGHT)
            return 401, "The token is wrong."
        if scope["type"] == "http" and scope["path"] == "/" and scope["method"] in _SAFE:
            await _redirect(send, "/login", [])
            return None
        return 401, "A token is needed."

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._headers]
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


async def _refuse(scope: Scope, send: Send, status: int, text: str, headers: list[Any]) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    plain = [(b"content-type", b"text/plain; charset=utf-8"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": plain})
    await send({"type": "http.response.body", "body": text.encode()})


async def _redirect(send: Send, path: str, headers: list[Any]) -> None:
    # Two slashes would lead to another site.
    headers = [(b"location", ("/" + path.lstrip("/")).encode()), (b"referrer-policy", b"no-referrer"), *headers]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
