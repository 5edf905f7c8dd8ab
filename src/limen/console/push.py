"""Live updates to browsers: one thread reads the telemetry, and every browser gets what it does not have yet.

A slow browser delays no other: it gets what has changed since its own last update, and skips the steps in between.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import numpy as np
from starlette.websockets import WebSocket

from limen.console import wire
from limen.console.live_state import LiveState
from limen.console.views import moving, with_places
from limen.formats.query_json import Plain

log = logging.getLogger("limen")

_EVERY = 0.25  # seconds from one read to the next
_MOST_BROWSERS = 64
_MOST_EVENTS = 60  # of one update: more than a user reads
_NEWS_AT_LEAST = 2.0  # seconds: so that a page knows that the console is alive


class Hub:
    """The browsers that are connected to a console."""

    def __init__(self, live: LiveState) -> None:
        self._live = live
        self._fresh = asyncio.Condition()
        self._browsers = 0

    async def watch(self) -> None:
        """Read telemetry until cancelled."""
        while True:
            try:
                fresh = await asyncio.to_thread(self._live.refresh)
            except Exception:  # whatever is in the folder, the page goes on
                log.exception("the telemetry could not be read")
                fresh = False
            if fresh:
                await self.notify()
            await asyncio.sleep(_EVERY)

    async def notify(self) -> None:
        """Wake all browsers that wait for an update."""
        async with self._fresh:
            self._fresh.notify_all()

    async def _news(self) -> None:
        async with self._fresh:
            await self._fresh.wait()

    async def serve(self, socket: WebSocket) -> None:
        """Send updates to one browser until it disconnects."""
        if self._browsers >= _MOST_BROWSERS:
            await socket.close(1013, "too many browsers")
            return
        self._browsers += 1
        await socket.accept()
        browser = _Browser(self._live)
        listening = asyncio.create_task(_listen(socket, browser))
        try:
            while not listening.done():
                for frame in await asyncio.to_thread(browser.news):
                    await (socket.send_bytes(frame) if isinstance(frame, bytes) else socket.send_text(frame))
                waiting = asyncio.create_task(self._news())
                await asyncio.wait({waiting, listening}, timeout=_NEWS_AT_LEAST, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
        except Exception as error:  # noqa: BLE001  # the browser has gone, whichever way
            log.debug("a browser has gone: %s", error)
        finally:
            listening.cancel()
            self._browsers -= 1


async def _listen(socket: WebSocket, browser: _Browser) -> None:
    """Receive the messages of a browser: the filter of its feed."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            received = json.loads(message.get("text") or "{}")
            browser.filter = {key: str(received["filter"].get(key, ""))[:200] for key in ("query", "kind", "stream")}
        except (ValueError, KeyError, TypeError, AttributeError):
            continue


class _Browser:
    """What one browser has received already."""

    def __init__(self, live: LiveState) -> None:
        self._live = live
        self.filter = {"query": "", "kind": "", "stream": ""}
        self._trails: Any = None
        self._series: Any = None
        self._moved = self._counted = self._events = 0
        self._batch: int | None = None

    def news(self) -> list[bytes | str]:
        """Return the frames of an update."""
        live = self._live
        with live.lock:
            if self._trails is not live.trails:  # streams have other slots
                self._trails, self._moved = live.trails, 0
            if self._series is not live.series:  # the job has begun anew
                self._series, self._counted, self._batch = live.series, 0, None
                self._events = max(live.feed.seen - _MOST_EVENTS, 0)
            # The JSON first: it shows whether the following frames are of another job.
            frames: list[bytes | str] = [json.dumps(self._plain())]
            slots = live.trails.since(self._moved)
            self._moved = live.trails.turn
            if len(slots):
                frames.append(wire.positions(slots, live.trails.place[slots]))
            changed = np.flatnonzero(live.query_table.counted[: len(live.query_table.ids)] > self._counted)
            self._counted = live.turn
            if len(changed):
                frames.append(wire.counts(changed, live.query_table.inside[changed]))
            return frames

    def _plain(self) -> Plain:
        live = self._live
        batches = live.series.since(self._batch)
        self._batch = batches[-1]["batch"] if batches else self._batch
        wanted = self.filter
        events = live.feed.latest(
            _MOST_EVENTS, since=self._events, query=wanted["query"], kind=wanted["kind"], stream=wanted["stream"]
        )
        events = [with_places(live, event) for event in events]
        new, self._events = live.feed.seen - self._events, live.feed.seen
        skipped = 0 if any(wanted.values()) else new - len(events)  # filtered events are not counted
        return {"type": "news", "batches": batches, "events": events, "skipped": skipped, **moving(live)}
