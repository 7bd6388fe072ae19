"""What all searches share: limits, reports, results, scores, the clock, parameter rows, the registry of kinds."""
