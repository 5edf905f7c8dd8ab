"""What each family of queries does with a batch: functions from (state, changes, batch, watermark) to (state, events)."""
