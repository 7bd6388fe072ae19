"""How the rows of a network lie in memory."""

ROW_STEP = 128  # bytes; what one step of a loop does: enough to hide latencies, and the registers suffice
