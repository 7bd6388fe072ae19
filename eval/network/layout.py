"""How the rows of a network lie in memory."""

ROW_STEP = 128  # bytes per step of a loop: enough to hide latencies, and not too many for the registers
PAIR_LIMITS = 8  # bytes for each step: how far cells of pairs reach, as `layer_emission` reads them

# The small layers: weights are stored for eight cells and eight outputs at a time, which fills the widest vectors. The
# code that adds up relies on these numbers.
GROUP = 8  # cells
LAYER_OUTPUTS = 8
FIRST_STEP, SECOND_STEP = 64, 16  # cells that one step of a loop processes; their numbers are multiples of these
