"""`limen demo`: one file per demo."""
