"""`limen simulate`: one file per kind of workload."""
