"""Pages that are one file: every text is escaped, pictures are within, and nothing is loaded from elsewhere."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2321; background: #fff; margin: 0 auto; max-width: 62rem;
       padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
section { border-top: 2px solid #d5dedb; margin-top: 2.5rem; padding-top: 1.2rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #d5dedb; }
th { border-bottom: 2px solid #8aa39c; white-space: nowrap; overflow-wrap: normal; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
.pictures img { max-width: 100%; height: auto; border: 1px solid #d5dedb; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .6rem 0; }
dt { color: #55645f; } dd { margin: 0; }
@media print { section { break-inside: avoid; } }
"""
#: What a browser may load: pictures that the page carries, and its own style.
_NOTHING_ELSE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, parts: Iterable[str], style: str = "") -> str:
    """Put a page together; the parts are HTML."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_ELSE}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def section(name: str, title: str, parts: Iterable[str]) -> str:
    """Make a section that can be linked to."""
    body = "\n".join(part for part in parts if part)
    return f'<section id="{escape(name)}">\n<h2>{escape(title)}</h2>\n{body}\n</section>'


def paragraph(text: str) -> str:
    """Make a paragraph of a text."""
    return f"<p>{escape(text)}</p>"


def described(terms: Mapping[str, str]) -> str:
    """Make a list of terms and their descriptions."""
    return f"<dl>{''.join(f'<dt>{escape(term)}</dt><dd>{escape(text)}</dd>' for term, text in terms.items())}</dl>"


def table(heads: Sequence[str], rows: Iterable[str]) -> str:
    """Make a table of rows that are HTML; `cells` makes one of texts."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    rows_and_head = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="table"><table>\n{rows_and_head}\n</table></div>'


def cells(texts: Iterable[str]) -> str:
    """Make the cells of a row.

    Examples
    --------
    >>> cells(["a", "<b>"])
    '<td>a</td><td>&lt;b&gt;</td>'
    """
    return "".join(f"<td>{escape(text)}</td>" for text in texts)


def pictures(found: Iterable[tuple[str, bytes]]) -> str:
    """Return images of PNG files, each with an alternative text."""
    images = "\n".join(
        f'<img alt="{escape(text)}" src="data:image/png;base64,{base64.b64encode(content).decode()}">'
        for text, content in found
    )
    return f'<div class="pictures">\n{images}\n</div>'
