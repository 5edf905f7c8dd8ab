"""Which coordinate systems are longitude and latitude of WGS84, by the names that files give them."""

import re
from collections.abc import Mapping

from limen.errors import InvalidInput

# With and without a height, which is not used. A file that names one of these has longitude first in practice, whatever
# the authority's own order is; GeoParquet even demands it.
_WGS84 = {("OGC", "CRS84"), ("OGC", "CRS84H"), ("EPSG", "4326"), ("EPSG", "4979")}


def check_crs(crs: object, name: str) -> None:
    """Refuse a file whose coordinates are not longitude and latitude; one without a CRS is taken to have them.

    Examples
    --------
    >>> check_crs({"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}, "zones.geojson")
    >>> check_crs("EPSG:2263", "zones.geojson")
    Traceback (most recent call last):
    limen.errors.InvalidInput: zones.geojson: crs: expected WGS84, longitude first (OGC:CRS84 or EPSG:4326), got
    EPSG:2263. Hint: transform the file first, or load it with crs='planar' if the streams have such coordinates too
    """
    if crs is None:
        return
    authority, code, text = _named(crs)
    if (authority, code) not in _WGS84:
        raise InvalidInput(
            where=f"{name}: crs",
            expected="WGS84, longitude first (OGC:CRS84 or EPSG:4326)",
            got=text,
            hint="transform the file first, or load it with crs='planar' if the streams have such coordinates too",
        )


def _named(crs: object) -> tuple[str, str, str]:
    """Split a name into its authority, its code, and the name to display."""
    if isinstance(crs, Mapping):
        id, properties = crs.get("id"), crs.get("properties")
        if isinstance(id, Mapping):  # PROJJSON
            authority, code = str(id.get("authority")).upper(), str(id.get("code")).upper()
            return authority, code, f"{authority}:{code}"
        if isinstance(properties, Mapping) and isinstance(properties.get("name"), str):  # GeoJSON of 2008
            return _named(properties["name"])
        text = crs["name"] if isinstance(crs.get("name"), str) else repr(crs)
        return "", "", text
    text = str(crs)
    words = [word.upper() for word in re.split(r"[:/]+", text) if word]
    authority = next((word for word in reversed(words) if word in ("OGC", "EPSG")), "")
    code = words[-1] if words else ""
    # Short for OGC:CRS84, and never meant otherwise.
    return ("OGC" if code == "CRS84" and len(words) == 1 else authority), code, text
