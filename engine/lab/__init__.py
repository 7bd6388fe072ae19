"""Games by the thousand and what they are for: matches, comparisons, tuning, training, benchmarks."""
