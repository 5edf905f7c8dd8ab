"""Lines from a terminal, with history, completion and colour; or plain lines, where there is no terminal."""

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from limen.cli.sql.keywords import completions, lexer
from limen.cli.sql.shell import Shell

HISTORY = Path("~/.limen_history")
_FIRST, _GOING_ON = "limen> ", "   ... "


def statements(read: Callable[[str], str]) -> Iterator[str]:
    """Put lines together until one ends with a semicolon; a command of the shell is a line of its own."""
    lines: list[str] = []
    while True:
        try:
            line = read(_GOING_ON if lines else _FIRST)
        except EOFError:
            if lines:
                yield "\n".join(lines)
            return
        except KeyboardInterrupt:  # what has been typed is thrown away
            lines = []
            continue
        if not lines and not line.strip():
            continue
        lines.append(line)
        if line.rstrip().endswith(";") or (len(lines) == 1 and line.lstrip().startswith(".")):
            yield "\n".join(lines)
            lines = []


def reader(shell: Shell) -> Callable[[str], str]:
    """Return what reads a line: the best that this terminal and the installed packages allow."""
    if not sys.stdin.isatty():
        return _plain
    if find_spec("prompt_toolkit") is None:
        return _with_readline(shell)
    return prompt_session(shell).prompt  # type: ignore[no-any-return]


def _plain(_prompt: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def prompt_session(shell: Shell, **further: Any) -> Any:
    """Return a session of prompt_toolkit with our words, colours and history; `further` is for other terminals."""
    from prompt_toolkit import PromptSession  # noqa: PLC0415  # an extra
    from prompt_toolkit.completion import Completer, Completion  # noqa: PLC0415
    from prompt_toolkit.history import FileHistory  # noqa: PLC0415
    from prompt_toolkit.lexers import PygmentsLexer  # noqa: PLC0415

    class Words(Completer):
        def get_completions(self, document: Any, _event: Any) -> Iterator[Any]:
            before = document.text_before_cursor
            start = document.get_word_before_cursor(WORD=False)
            for word in completions(before, shell.names()):
                yield Completion(word, start_position=-len(start))

    further.setdefault("history", FileHistory(str(HISTORY.expanduser())))
    return PromptSession(completer=Words(), lexer=PygmentsLexer(type(lexer())), **further)


def _with_readline(shell: Shell) -> Callable[[str], str]:
    """Do without prompt_toolkit: history and completion of Python's own, no colours."""
    import atexit  # noqa: PLC0415  # only here
    import readline  # noqa: PLC0415

    history = HISTORY.expanduser()
    if history.exists():
        readline.read_history_file(history)
    atexit.register(readline.write_history_file, history)

    def complete(_text: str, state: int) -> str | None:
        words = completions(readline.get_line_buffer()[: readline.get_endidx()], shell.names())
        return words[state] if state < len(words) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return input
