"""Indexes that Limen is measured against."""
