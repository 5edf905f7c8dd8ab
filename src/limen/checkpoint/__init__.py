"""State as bytes: codec, pages, manifest, journal and snapshot, with one version number."""
