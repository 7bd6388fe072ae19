"""What the commands share: types of arguments, tables, plots, progress, positions to measure on, test suites."""
