"""Games between engines and settings: played, adjudicated, counted."""
