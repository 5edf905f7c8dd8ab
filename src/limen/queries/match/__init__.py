"""Match queries (VCI and VCR): every row inside a region."""
