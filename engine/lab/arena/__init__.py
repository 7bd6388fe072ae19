"""Games between engines and configs: played, adjudicated, counted."""
