"""Live news to browsers: one thread looks into the window, and every browser gets what it does not have yet.

A slow browser holds up nobody: it gets what has changed since its own last news, and skips what was in between.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from limen.console import wire
from limen.console.views import moving, with_places

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from limen.console.live import Live

log = logging.getLogger("limen")

Plain = dict[str, Any]

_EVERY = 0.25  # seconds from one look to the next
_MOST_BROWSERS = 64
_MOST_EVENTS = 60  # a push: more than anyone reads
_NEWS_AT_LEAST = 2.0  # seconds: so that a page knows that the console lives


class Hub:
    """All browsers that look at a job."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._fresh = asyncio.Condition()
        self._browsers = 0

    async def watch(self) -> None:
        """Look into the window until cancelled."""
        while True:
            try:
                fresh = await asyncio.to_thread(self._live.refresh)
            except Exception:  # whatever is in the folder, the page goes on
                log.exception("the window could not be read")
                fresh = False
            if fresh:
                await self.tell()
            await asyncio.sleep(_EVERY)

    async def tell(self) -> None:
        """Wake all who wait for news."""
        async with self._fresh:
            self._fresh.notify_all()

    async def _news(self) -> None:
        async with self._fresh:
            await self._fresh.wait()

    async def serve(self, socket: WebSocket) -> None:
        """Tell one browser what is new, until it goes."""
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
    """Take what a browser says: the filter of its feed."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            said = json.loads(message.get("text") or "{}")
            browser.filter = {key: str(said["filter"].get(key, ""))[:200] for key in ("query", "kind", "stream")}
        except (ValueError, KeyError, TypeError, AttributeError):
            continue


class _Browser:
    """What one browser knows already."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self.filter = {"query": "", "kind": "", "stream": ""}
        self._trails: Any = None
        self._series: Any = None
        self._moved = self._counted = self._events = 0
        self._batch: int | None = None

    def news(self) -> list[bytes | str]:
        """Return frames with what is new."""
        live = self._live
        with live.lock:
            if self._trails is not live.trails:  # streams have other slots
                self._trails, self._moved = live.trails, 0
            if self._series is not live.series:  # the job has begun anew
                self._series, self._counted, self._batch = live.series, 0, None
                self._events = max(live.feed.seen - _MOST_EVENTS, 0)
            # The words first: they say if what follows is of another job.
            frames: list[bytes | str] = [json.dumps(self._plain())]
            slots = live.trails.since(self._moved)
            self._moved = live.trails.turn
            if len(slots):
                frames.append(wire.positions(slots, live.trails.place[slots]))
            changed = np.flatnonzero(live.asked.counted[: len(live.asked.ids)] > self._counted)
            self._counted = live.turn
            if len(changed):
                frames.append(wire.counts(changed, live.asked.inside[changed]))
            return frames

    def _plain(self) -> Plain:
        live = self._live
        batches = live.series.since(self._batch)
        self._batch = batches[-1]["batch"] if batches else self._batch
        asked = self.filter
        events = live.feed.latest(
            _MOST_EVENTS, since=self._events, query=asked["query"], kind=asked["kind"], stream=asked["stream"]
        )
        events = [with_places(live, event) for event in events]
        new, self._events = live.feed.seen - self._events, live.feed.seen
        skipped = 0 if any(asked.values()) else new - len(events)  # of those that a filter leaves out, nobody asks
        return {"type": "news", "batches": batches, "events": events, "skipped": skipped, **moving(live)}
