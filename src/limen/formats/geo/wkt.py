"""Well-known text: a geometry a line, with an id before it or without."""

import re

from limen.errors import InvalidInput, InvalidQuery
from limen.formats.geo.crs import check_crs
from limen.formats.geo.feature_file import FeatureFile
from limen.formats.geo.from_shapely import parse
from limen.formats.geo.library import load_shapely

_SRID = re.compile(r"SRID\s*=\s*(\d+)\s*;\s*", re.IGNORECASE)


def read_wkt(content: bytes, name: str) -> FeatureFile:
    """Read lines of WKT, or of an id, a tab and WKT; blank lines and comments (``#``, ``//``) are skipped."""
    numbers: list[int] = []
    ids: list[str | None] = []
    texts: list[str] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        words = line.strip(b" \r")
        if not words.strip() or words.startswith((b"//", b"#")):
            continue
        try:
            id, tab, text = words.decode().partition("\t")
        except UnicodeDecodeError as error:
            got = f"the byte {words[error.start]:#x}"
            raise InvalidInput(where=f"{name} line {number}", expected="UTF-8", got=got) from error
        numbers.append(number)
        ids.append(id.strip() if tab else None)
        texts.append(text if tab else id)
    plain = [_SRID.sub("", text.strip(), count=1) for text in texts]
    outlines = parse(plain, load_shapely().from_wkt, "WKT such as POLYGON ((0 0, 4 0, 4 4, 0 0))")
    for position, text in enumerate(texts):
        if system := _SRID.match(text.strip()):
            try:
                check_crs(f"EPSG:{system[1]}", name)
            except InvalidInput as error:
                outlines[position] = InvalidQuery(
                    where="SRID", expected=error.expected, got=error.got, hint="transform the file first"
                )
    return FeatureFile(name=name, outlines=outlines, ids=ids, lines=numbers)
