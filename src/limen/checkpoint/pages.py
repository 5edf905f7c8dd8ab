"""Pages: named bytes in a store that commits them together, such as Spark's."""

from collections.abc import Iterator
from typing import Protocol

from limen.errors import StateError

LARGEST = 1 << 19  # bytes a page: large enough that the round trip does not count, small enough to be passed around


class Pages(Protocol):
    """A store of pages. Its owner makes all that was written since the last commit durable, or none of it."""

    def get(self, name: str) -> bytes | None:
        """Return a page."""

    def put(self, name: str, page: bytes) -> None:
        """Write a page, in the place of the one of that name if there is one."""

    def remove(self, name: str) -> None:
        """Take a page out; one that does not exist is no error."""


class PagesInMemory(dict[str, bytes]):
    """Pages in memory only; they are not durable."""

    def put(self, name: str, page: bytes) -> None:
        """Write a page."""
        self[name] = page

    def remove(self, name: str) -> None:
        """Take a page out."""
        self.pop(name, None)


def get_page(pages: Pages, name: str) -> bytes:
    """Return a page that must be there."""
    page = pages.get(name)
    if page is None:
        raise StateError(
            where=f"state: page {name!r}",
            expected="what an earlier batch wrote",
            got="nothing",
            hint="the checkpoint is damaged; go back to a copy of it, or start with a new one",
        )
    return page


def put_long(pages: Pages, name: str, content: bytes, before: int) -> int:
    """Write content of any length as several pages; return how many. `before` is how many it had until now."""
    count = 0
    for part in _cut(content):
        pages.put(f"{name}/{count}", part)
        count += 1
    for number in range(count, before):
        pages.remove(f"{name}/{number}")
    return count


def get_long(pages: Pages, name: str, count: int) -> bytes:
    """Return what `put_long` wrote."""
    return b"".join(get_page(pages, f"{name}/{number}") for number in range(count))


def _cut(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), LARGEST):
        yield content[start : start + LARGEST]
