"""Games between engines and settings: played, judged, counted."""
