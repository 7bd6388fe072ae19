"""What every search keeps to: limits, reports, results, scores, the clock, rows of parameters, the kinds of search."""
