"""The sphere that distances in degrees are measured on."""

EARTH_RADIUS = 6_371_008.8  # metres, the mean radius
