"""How the rows of a network lie in memory."""

ROW_STEP = 128  # bytes per step of a loop: enough to hide latencies, and not too many for the registers
