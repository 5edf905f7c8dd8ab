"""What each family of queries does with a batch: functions from state and rows to state and events."""
