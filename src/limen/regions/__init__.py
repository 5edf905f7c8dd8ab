"""Indexes of regions that several query families share."""
