"""Indexes of boxes that tuples are matched against, one file each."""
