"""The memory layout of a network's rows."""

ROW_STEP = 128  # bytes per step of a loop: enough to hide latencies, and not too many for the registers
PAIR_LIMITS = 8  # bytes for each step: the largest cells of its pairs and their shift, as simd_layers.py reads them

# The small layers: weights are stored for eight cells and eight outputs at a time, which fills the widest vectors. The
# vector code relies on these numbers.
GROUP = 8  # cells
LAYER_OUTPUTS = 8
FIRST_STEP, SECOND_STEP = 64, 16  # cells that one step of a loop processes; their numbers are multiples of these
