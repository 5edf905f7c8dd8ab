"""Who may come in, and what may be sent: with an HTTP client, as a browser of another site would."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from websockets import Origin
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from limen import Border, Box
from limen.console import serve
from limen.console.guard import COOKIE, MOST_BYTES, check_address, policy
from limen.errors import InvalidInput
from tests.console.city_job import EngineJob
from tests.console.conftest import rows

TOKEN = "correct horse battery"
SCRIPT = "<script>document.title='taken'</script>"
JSON = {"content-type": "application/json"}


@pytest.fixture
def client(job: EngineJob, served: Callable[..., int]) -> Iterator[httpx.Client]:
    job.step(rows(("a", 0, 5, 5)))
    with httpx.Client(base_url=f"http://localhost:{served(job.folder)}") as client:
        yield client


@pytest.fixture
def guarded(job: EngineJob, served: Callable[..., int]) -> Iterator[httpx.Client]:
    job.step(rows(("a", 0, 5, 5)))
    with httpx.Client(base_url=f"http://localhost:{served(job.folder, token=TOKEN)}") as client:
        yield client


def here(client: httpx.Client) -> str:
    return str(client.base_url).rstrip("/")


def ours(client: httpx.Client) -> dict[str, str]:
    return {"origin": here(client), **JSON}


def sql(client: httpx.Client, headers: dict[str, str], text: str = "DROP QUERY yard") -> httpx.Response:
    return client.post("/api/check", content=json.dumps({"sql": text}), headers=headers)


def live(client: httpx.Client, origin: str | None, host: str | None = None) -> Any:
    """Open the connection for live news."""
    address = here(client).replace("http", "ws") + "/live"
    headers = {} if host is None else {"Host": host}
    return connect(address, origin=None if origin is None else Origin(origin), additional_headers=headers)


def raw(client: httpx.Client, path: str, host: str) -> tuple[int, str]:
    """Ask for a path and with a host as they are written; return status and location."""
    connection = http.client.HTTPConnection("localhost", client.base_url.port)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    connection.close()
    return answer.status, answer.headers.get("location", "/")


def test_the_page_and_its_parts_come_from_here(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    for path in (
        "/static/main.js",
        "/static/vendor/leaflet/leaflet.js",
        "/static/vendor/leaflet/leaflet.css",
        "/static/vendor/echarts/echarts.js",
    ):
        assert client.get(path).status_code == 200


def test_a_request_of_another_site_is_refused(client: httpx.Client) -> None:
    assert sql(client, ours(client)).status_code == 200
    for origin in ("http://evil.example", "http://localhost:9", "null", ""):
        assert sql(client, {**JSON, "origin": origin}).status_code == 403
    assert sql(client, JSON).status_code == 403


def test_a_form_of_another_site_is_refused(client: httpx.Client) -> None:
    assert sql(client, {**ours(client), "content-type": "text/plain"}).status_code == 415
    assert client.get("/api/overview", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_a_name_that_points_here_is_refused(client: httpx.Client) -> None:
    evil = {"host": "evil.example", "origin": "http://evil.example"}
    assert client.get("/api/overview", headers={"host": "evil.example"}).status_code == 421
    assert sql(client, {**JSON, **evil}).status_code == 421
    assert client.get("/api/overview", headers={"host": "127.0.0.1:1"}).status_code == 200
    assert client.get("/api/overview", headers={"host": "localhost.evil.example"}).status_code == 421
    assert client.get("/api/overview", headers={"host": "[::1"}).status_code == 400


def test_live_news_go_to_our_own_page_only(client: httpx.Client) -> None:
    with live(client, here(client)) as socket:
        socket.send(json.dumps({"filter": {"query": "yard", "kind": 7}}))
        socket.send("no json")
        frames = [socket.recv(5) for _ in range(3)]
        assert {type(frame) for frame in frames} == {bytes, str}
    for origin in ("http://evil.example", None):
        with pytest.raises(InvalidStatus, match="403"):
            live(client, origin)


def test_a_long_message_ends_the_live_connection(client: httpx.Client) -> None:
    with live(client, here(client)) as socket:
        socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosedError):
            [socket.recv(5) for _ in range(50)]


def test_too_large_a_request_is_refused(client: httpx.Client) -> None:
    large = " " * (MOST_BYTES + 1)
    assert client.post("/api/sql", content=large, headers=ours(client)).status_code == 413

    def unending() -> Iterator[bytes]:  # a body that does not say how long it is
        for _ in range(40):
            yield b" " * 65_536

    assert client.post("/api/sql", content=unending(), headers=ours(client)).status_code in (400, 413)
    assert client.post("/api/sql", content="not json", headers=ours(client)).status_code == 400
    assert client.post("/api/sql", content="[" * 100_000, headers=ours(client)).status_code == 400
    assert client.post("/api/sql", content="[]", headers=ours(client)).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/vendor/leaflet/..%2f..%2f..%2fserver.py",
        "/api/none",
        "/docs",
    ],
)
def test_no_file_beside_the_page_can_be_read(client: httpx.Client, path: str) -> None:
    assert raw(client, path, f"localhost:{client.base_url.port}")[0] == 404


def test_without_the_token_nothing_is_told(guarded: httpx.Client) -> None:
    assert guarded.get("/").headers["location"] == "/login"
    assert guarded.get("/api/overview").status_code == 401
    assert guarded.get("/static/main.js").status_code == 401
    assert sql(guarded, ours(guarded)).status_code == 401
    assert guarded.get("/api/overview", headers={"cookie": f"{COOKIE}={TOKEN}"}).status_code == 401
    with pytest.raises(InvalidStatus, match="403"):
        live(guarded, here(guarded))


def test_a_wrong_token_is_refused_and_the_right_one_opens(guarded: httpx.Client) -> None:
    own = {"origin": here(guarded)}
    assert guarded.get("/?token=wrong").status_code == 401
    assert guarded.post("/login", data={"token": "wrong"}, headers=own).status_code == 401
    assert guarded.get("/api/overview", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/api/overview", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.post("/login", data={"token": TOKEN}).status_code == 403  # a form of another site
    opened = guarded.post("/login", data={"token": TOKEN}, headers=own)
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    cookie = opened.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/api/overview").status_code == 200
    assert guarded.get("/").status_code == 200


def test_the_address_with_the_token_opens_too(guarded: httpx.Client) -> None:
    opened = guarded.get(f"/?token={TOKEN}")
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    assert guarded.get("/api/overview").status_code == 200
    token = TOKEN.replace(" ", "%20")
    assert raw(guarded, f"//evil.example/?token={token}", "localhost") == (303, "/evil.example/")


def test_an_address_that_others_can_reach_demands_a_token(tmp_path) -> None:
    for host in ("0.0.0.0", "192.168.1.5", "console.example"):
        with pytest.raises(InvalidInput, match="expected a token, since others can reach"):
            serve(tmp_path, host=host)
    with pytest.raises(InvalidInput, match="8 characters or more"):
        check_address("0.0.0.0", "short")
    for host in ("127.0.0.1", "localhost", "::1", "[::1]"):
        check_address(host, None)


def test_tiles_are_the_only_thing_from_elsewhere() -> None:
    assert "https://*.tiles.example" in policy("https://{s}.tiles.example/{z}/{x}/{y}.png")
    assert "http" not in policy(None)
    assert "http" not in policy("javascript:alert(1)")


def test_names_with_markup_stay_text(make_job: Callable[..., EngineJob], served: Callable[..., int]) -> None:
    job = make_job([Border(SCRIPT, Box((0, 0), (10, 10)), initial="report")])
    job.step(rows((SCRIPT, 0, 5, 5)))
    with httpx.Client(base_url=f"http://localhost:{served(job.folder)}") as client:
        time.sleep(0.6)
        answer = client.get("/api/queries")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.json()["rows"][0]["id"] == SCRIPT
        assert SCRIPT not in client.get("/").text


def test_bad_parameters_are_told(client: httpx.Client) -> None:
    for path in (
        "queries?page=-1", "queries?sort=colour", "shapes?west=1", "shapes?west=2&east=1&south=0&north=1",
        "shapes?west=nan&east=1&south=0&north=1", "stream?slot=99999", "stream?id=zz", "query?id=zz", "why?event=zz",
        "why?stream=&query=yard", "why?stream=a&query=zz",
    ):  # fmt: skip
        answer = client.get(f"/api/{path}")
        assert (answer.status_code, "expected" in answer.json()["error"]) == (400, True), path


def test_who_is_not_there_is_an_answer_to_those_who_say_maybe(client: httpx.Client) -> None:
    for what in ("stream", "query"):
        assert client.get(f"/api/{what}", params={"id": "nobody"}).status_code == 400
        told = client.get(f"/api/{what}", params={"id": "nobody", "maybe": "1"})
        assert (told.status_code, told.json()) == (200, None)
