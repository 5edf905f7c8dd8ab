"""The shard: admission of rows, reorder buffer, timeline, stream table, query catalogue, events."""
