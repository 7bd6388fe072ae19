"""What all commands share: arguments, progress, tables, plots, interruption."""
