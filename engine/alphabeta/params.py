"""Every number that tuning may change, and every switch of the search, one row each.

Kernels read them from a record (`params.rfp_margin`), so a match or a tuning run can change them without recompiling. A
row whose range is 0 to 1 is a switch: it turns a technique off, to show what it is worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.kernel.records import Fields, set_fields
from engine.search.params import Parameter, default_record, set_value

ONE_BITS = np.int64(10)
ONE = np.int64(1) << ONE_BITS  # 1.0 for the rows that count in 1024ths


def _switch(name: str, default: int = 1) -> Parameter:
    """The switch of a technique; `default` is 0 until it has won a match."""
    return Parameter(name, default, 0, 1, 0)


PARAMETERS = (
    # Techniques, on or off. With all off the search is plain minimax with the static evaluation at the horizon.
    _switch("use_alphabeta"),
    _switch("use_pvs"),
    _switch("use_aspiration"),
    _switch("use_ordering"),
    _switch("use_tt"),
    _switch("use_tt_cutoffs"),
    _switch("use_mate_distance"),
    _switch("use_killers"),
    _switch("use_counter_moves"),
    _switch("use_history"),
    _switch("use_continuation"),
    _switch("use_quiescence"),
    _switch("use_delta_pruning"),
    _switch("use_quiescence_see"),
    _switch("use_evasion_pruning"),
    _switch("use_lazy_evaluation"),
    _switch("use_null_move"),
    _switch("use_reverse_futility"),
    _switch("use_futility"),
    _switch("use_late_move_pruning"),
    _switch("use_see_pruning"),
    _switch("use_history_pruning"),
    _switch("use_capture_futility"),
    _switch("use_late_move_reductions"),
    _switch("use_iir"),
    _switch("use_singular"),
    _switch("use_double_extensions"),
    _switch("use_multi_cut"),
    _switch("use_negative_extensions"),
    _switch("use_probcut"),
    _switch("use_correction"),
    _switch("use_tt_history"),
    _switch("use_tt_pv"),
    _switch("use_aspiration_reduction"),
    _switch("use_threats"),
    _switch("use_hints"),
    _switch("use_pawn_history"),
    _switch("use_material_scaling"),
    _switch("use_rule50_scaling"),
    _switch("use_quiescence_blend"),
    _switch("use_quiescence_limit"),
    _switch("use_quiescence_futility"),
    _switch("use_quiescence_checks"),
    # Transposition table: close to a draw by the fifty-move rule its scores may no longer hold.
    Parameter("tt_rule50", 90, 60, 100, 4),
    # Aspiration windows.
    Parameter("aspiration_depth", 4, 2, 8, 1),
    Parameter("aspiration_window", 13, 4, 50, 3),
    Parameter("aspiration_growth", 512, 128, 2048, 64),  # the share by which a window that failed grows: 1024ths
    Parameter("aspiration_widest", 600, 100, 2000, 50),  # a window that would grow beyond this is opened fully
    # Reverse futility pruning: so far above beta that no reply will matter.
    Parameter("rfp_depth", 8, 4, 12, 1),
    Parameter("rfp_margin", 40, 20, 150, 6),
    Parameter("rfp_improving", 24, 0, 150, 8),
    Parameter("rfp_history", 0, -16, 64, 4),  # the share of the last move's history in the margin: 1024ths
    Parameter("rfp_blend", 920, 0, 1024, 64),  # the share of the estimate in the score, the rest is beta: 1024ths
    # Null move.
    Parameter("null_depth", 3, 1, 5, 1),
    Parameter("null_base", 5, 2, 6, 1),
    Parameter("null_divisor", 4, 2, 8, 1),
    Parameter("null_eval_divisor", 115, 80, 400, 20),
    Parameter("null_eval_max", 3, 1, 6, 1),
    Parameter("null_static_margin", 44, 0, 60, 4),
    Parameter("null_verify_depth", 12, 8, 20, 1),
    Parameter("null_verify_quarters", 3, 1, 4, 1),
    # ProbCut.
    Parameter("probcut_depth", 6, 3, 8, 1),
    Parameter("probcut_margin", 104, 50, 350, 20),
    Parameter("probcut_reduction", 4, 2, 6, 1),
    Parameter("probcut_tt_depth", 3, 1, 5, 1),
    # Late move pruning; futility, SEE and history pruning of moves.
    Parameter("lmp_base", 6, 1, 14, 1),
    Parameter("lmp_factor", 890, 256, 2048, 100),  # of the depth squared: 1024ths
    Parameter("lmp_depth", 9, 4, 12, 1),
    # What futility and SEE pruning of quiet moves add to the late move reduction where the evaluation is not improving,
    # in 1024ths of a ply.
    Parameter("pruning_not_improving", 420, 0, 2048, 128),
    Parameter("futility_depth", 11, 3, 12, 1),
    Parameter("futility_base", 39, 0, 200, 10),
    Parameter("futility_margin", 47, 20, 160, 8),
    Parameter("futility_history", 0, -16, 64, 4),  # the share of a quiet move's history in its margin: 1024ths
    Parameter("capture_futility_depth", 6, 2, 10, 1),
    Parameter("capture_futility_base", 138, 50, 400, 20),
    Parameter("capture_futility_margin", 196, 50, 300, 15),
    Parameter("capture_futility_history", 0, -32, 128, 8),  # the share of its capture history: 1024ths
    Parameter("see_quiet_margin", 58, 20, 120, 6),  # by the depth left,
    Parameter("see_quiet_squared", 0, -6, 30, 3),  # and by its square
    Parameter("see_noisy_margin", 25, 0, 60, 4),  # by the depth squared,
    Parameter("see_noisy_linear", 30, 0, 160, 10),  # and by the depth
    Parameter("history_prune_depth", 3, 2, 8, 1),
    Parameter("history_prune_margin", 3896, 1000, 6000, 300),
    # Late move reductions, in 1024ths of a ply.
    Parameter("lmr_depth", 2, 1, 5, 1),
    Parameter("lmr_base", 480, 300, 1400, 60),
    Parameter("lmr_factor", 500, 300, 700, 25),
    Parameter("lmr_noisy_factor", 210, 50, 600, 25),
    Parameter("lmr_pv", 450, 0, 2048, 120),
    Parameter("lmr_cut_node", 1480, 0, 2600, 120),
    Parameter("lmr_not_improving", 1104, 0, 2048, 100),
    Parameter("lmr_check", 558, 0, 2048, 100),
    Parameter("lmr_killer", 1949, 0, 3072, 100),
    Parameter("lmr_tt_capture", 270, 0, 2048, 100),
    Parameter("lmr_history_divisor", 12200, 4000, 20000, 800),
    Parameter("lmr_tt_pv", 600, 0, 2560, 120),
    # Singular extensions.
    Parameter("singular_depth", 5, 3, 10, 1),
    Parameter("singular_margin", 1, 1, 5, 1),
    Parameter("singular_tt_depth", 2, 1, 5, 1),
    Parameter("singular_root_depths", 2, 1, 3, 1),
    Parameter("singular_share", 512, 256, 768, 32),  # of the depth, to which the other moves are searched: 1024ths
    Parameter("double_margin", 24, 0, 50, 3),
    Parameter("double_limit", 14, 2, 16, 1),
    # Internal iterative reduction.
    Parameter("iir_depth", 5, 2, 8, 1),
    # Histories.
    Parameter("history_bonus", 140, 60, 320, 15),
    Parameter("history_bonus_max", 1100, 600, 3000, 120),
    Parameter("history_malus", 314, 60, 640, 15),
    Parameter("history_fail_low", 130, 0, 320, 15),
    Parameter("history_evaluation", 7, 0, 30, 1),
    Parameter("capture_victim", 12, 4, 64, 2),  # the weight of the captured piece's value beside the capture history
    # The plain history stays within two to the power of this: the less it may hold, the sooner it forgets.
    Parameter("history_bits", 12, 12, 14, 1),
    # The weight of each history in a quiet move's score, in 1024ths of the plain one's: that of answers to the last
    # move, of what follows our own previous move and the one before that, and that of the pawn structure.
    Parameter("weight_last", 1300, 0, 4096, 100),
    Parameter("weight_second", 1450, 0, 4096, 100),
    Parameter("weight_fourth", 385, 0, 4096, 100),
    Parameter("weight_pawn", 1460, 0, 4096, 100),
    # Ordering bonuses of quiet moves: escaping a less valuable attacker, in 1024ths of ESCAPE_BONUSES, and checks.
    Parameter("hint_escape", 860, 0, 4096, 100),
    Parameter("hint_check", 2400, 0, 16000, 500),
    # Lazy evaluation: by how much one move may change everything but material and piece-square values.
    Parameter("lazy_margin", 150, 40, 1500, 15),
    # Quiescence.
    Parameter("delta_margin", 145, 50, 300, 15),
    Parameter("quiescence_moves", 3, 1, 8, 1),
    Parameter("fail_high_blend", 512, 0, 1024, 64),  # the share of a score above beta, the rest is beta: 1024ths
    # Corrections of the static evaluation, in 1024ths: what a ply adds to the bonus, its largest value, and the weights
    # of the histories.
    Parameter("correction_rate", 153, 32, 320, 16),
    Parameter("correction_bonus_max", 306, 64, 1024, 32),
    Parameter("correction_pawn", 490, 0, 1500, 80),
    Parameter("correction_non_pawn", 920, 0, 1500, 80),
    Parameter("correction_continuation", 530, 0, 1500, 80),
    # Scaling of the static evaluation: by material (a pawn is 1, a queen 9) in 1024ths, and by the fifty-move rule.
    Parameter("material_base", 910, 500, 1200, 30),
    Parameter("material_factor", 2, 0, 6, 1),
    Parameter("rule50_divisor", 164, 100, 400, 20),
)


class ParamsRecord(Fields):
    """A number for each row of PARAMETERS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> int: ...


set_fields(ParamsRecord, dict.fromkeys((row.name for row in PARAMETERS), "i8"))


def default_params() -> ParamsRecord:
    """A new record with every default."""
    return default_record(PARAMETERS, ParamsRecord)


def minimax_params() -> ParamsRecord:
    """A new record with every switch off: plain minimax."""
    record = default_params()
    for row in PARAMETERS:
        if row.is_switch:
            record[row.name] = 0
    return record


def set_param(record: ParamsRecord, name: str, value: int) -> None:
    """Set one parameter; InputError if there is no such parameter or the value is out of range."""
    set_value(record, PARAMETERS, name, value, "search parameter")
