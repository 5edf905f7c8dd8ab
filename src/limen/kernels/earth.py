"""The sphere that distances in degrees are measured on."""

EARTH_RADIUS = 6_371_008.8  # metres, the mean radius
DEGREE = 111_000.0  # metres: a rough lower bound of a degree of latitude, which has 111,195
