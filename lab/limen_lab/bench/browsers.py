"""Browsers that draw nothing: websocket clients of a console, which count what they get until standard input ends.

python -m limen_lab.bench.browsers 127.0.0.1:8080 3
"""

import asyncio
import json
import os
import sys

from websockets.asyncio.client import ClientConnection, connect


async def main(address: str, count: int) -> dict[str, float]:
    """Connect so many; return what one of them got, on average."""
    sockets = [await connect(f"ws://{address}/live", origin=f"http://{address}", max_size=None) for _ in range(count)]  # type: ignore[arg-type]
    print("connected", flush=True)  # noqa: T201  # the parent process waits for it
    got = {"frames": 0, "bytes": 0}
    listening = [asyncio.create_task(_listen(socket, got)) for socket in sockets]
    await asyncio.to_thread(sys.stdin.read)
    for task, socket in zip(listening, sockets, strict=True):
        task.cancel()
        await socket.close()
    return {name: number / count for name, number in got.items()}


async def _listen(socket: ClientConnection, got: dict[str, int]) -> None:
    async for frame in socket:
        got["frames"] += 1
        got["bytes"] += len(frame)


if __name__ == "__main__":
    os.nice(19)  # browsers are elsewhere, and take no part of this machine …
    if hasattr(os, "SCHED_IDLE"):  # … which can be said even more clearly
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    print(json.dumps(asyncio.run(main(sys.argv[1], int(sys.argv[2])))))  # noqa: T201
