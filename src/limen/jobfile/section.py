"""A table of a job file as it is read. Each known key is read once; a key that is never read is an error."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from limen.errors import InvalidInput, LimenError, did_you_mean
from limen.jobfile.document import Document, Place

T = TypeVar("T")
Problems: TypeAlias = "list[tuple[int, LimenError]]"  # with their lines, 0 for what is missing from the whole

_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Section:
    """A table, and where it stands.

    Problems are collected and not raised, so that a user sees all of them at once. Reading a wrong value returns the
    default, and reading continues.
    """

    def __init__(self, document: Document, place: Place, content: Any, problems: Problems) -> None:
        self.document, self.place, self.problems = document, place, problems
        self.content: dict[str, Any] = content if isinstance(content, dict) else {}
        self._read_keys: dict[str, None] = {}
        if not isinstance(content, dict):
            self.complain((), expected="a table", got=content)

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def complain(self, inside: Place, **parts: Any) -> None:
        """Note a problem of this table, or of something in it."""
        words = [str(word) for word in (*self.place, *inside) if isinstance(word, str)]
        self._add(inside, InvalidInput(where=".".join(words) or None, **parts))

    def text(
        self, name: str, default: str | None = None, *, required: bool = False, choices: Iterable[str] = ()
    ) -> Any:
        """Return a text. ${NAME} in it stands for a variable of the environment."""
        value = self._get(name, str, "text", required=required)
        if value is None:
            return default
        options = list(choices)
        if options and value not in options:
            self.complain(
                (name,), expected=f"one of {', '.join(options)}", got=repr(value), hint=did_you_mean(value, options)
            )
            return default
        return self.expanded(value, (name,)) or default

    def expanded(self, value: str, inside: Place) -> str:
        """Put variables of the environment in their places."""
        for variable in _VARIABLE.findall(value):
            if variable not in os.environ:
                self.complain(inside, expected=f"the variable {variable} in the environment", got="none of that name")
                return value
        found = _VARIABLE.sub(lambda match: os.environ[match[1]], value)
        if not found:
            self.complain(inside, expected="text", got="nothing")
        return found

    def whole(self, name: str, default: int | None = None, *, least: int = 1, most: int = 2**31 - 1) -> Any:
        """Return a whole number."""
        value = self._get(name, int, "a whole number")
        if value is None:
            return default
        if not least <= value <= most:
            self.complain((name,), expected=f"a whole number from {least:,} to {most:,}", got=f"{value:,}")
            return default
        return value

    def flag(self, name: str) -> bool:
        """Return a yes or no, which is no by default."""
        return bool(self._get(name, bool, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self._get(name, (str, list), "a list of texts")
        value = [value] if isinstance(value, str) else value or []
        if not all(isinstance(each, str) for each in value):
            self.complain((name,), expected="a list of texts", got=value)
            return ()
        return tuple(self.expanded(each, (name,)) for each in value)

    def value(self, name: str) -> Any:
        """Return the value of a key without checking its type; None if there is none."""
        return self._get(name, object, "a value")

    def settings(self, name: str) -> dict[str, str]:
        """Return a table of settings, as Spark takes them: as text."""
        return {key: self.expanded(_as_text(value), (name, key)) for key, value in self.plain(name).items()}

    def plain(self, name: str) -> dict[str, Any]:
        """Return a table as it is."""
        value = self._get(name, dict, "a table")
        return dict(value or {})

    def section(self, name: str, *, required: bool = False) -> Section | None:
        """Return a table to be read."""
        value = self._get(name, dict, "a table", required=required)
        return None if value is None else Section(self.document, (*self.place, name), value, self.problems)

    def sections(self, name: str) -> list[Section]:
        """Return a list of tables to be read."""
        header = ".".join([*(word for word in self.place if isinstance(word, str)), name])
        value = self._get(name, list, f"a list of tables, each headed [[{header}]]") or []
        return [
            Section(self.document, (*self.place, name, number), entry, self.problems)
            for number, entry in enumerate(value)
        ]

    def checked(self, inside: Place, check: Callable[[], T]) -> T | None:
        """Return what a function makes of the content; an error of it becomes a problem with its line."""
        try:
            return check()
        except LimenError as error:
            self._add(inside, error)
            return None

    def blame(self, name: str, error: LimenError) -> None:
        """Note an error as a problem of the key that caused it."""
        self._add((name,), error)

    def end(self) -> None:
        """Report keys that were never read."""
        for name in self.content:
            if name not in self._read_keys:
                known = list(self._read_keys)
                self.complain(
                    (name,), expected=f"one of {', '.join(known)}", got="an unknown key", hint=did_you_mean(name, known)
                )

    def _add(self, inside: Place, error: LimenError) -> None:
        line = self.document.line((*self.place, *inside))
        self.problems.append((line, error.within(f"{self.document.name}:{line}" if line else self.document.name)))

    def _get(self, name: str, kind: type | tuple[type, ...], expected: str, *, required: bool = False) -> Any:
        self._read_keys[name] = None
        if name not in self.content:
            if required:
                meant = difflib.get_close_matches(name, self.content.keys() - self._read_keys.keys(), n=1)
                hint = f"is {meant[0]!r} meant to be it?" if meant else None
                self.complain((), expected=f"a key {name!r}: {expected}", got="none", hint=hint)
            return None
        value = self.content[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            self.complain((name,), expected=expected, got=repr(value))
            return None
        return value


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
