"""The transposition table: what is known about positions that were searched before, whatever the move order.

An entry is two words: `key ^ data` and `data`. A thread that reads while another writes sees words that do not belong
together: their xor is not the key, and the entry is ignored. So no lock is needed. Four entries share a cache line.

    data: move 16 | score 16 | static evaluation 16 | depth 7 | principal variation 1 | generation 6 | bound 2
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.moves import NULL_MOVE
from engine.kernel import entry, inline, int64, kernel
from engine.kernel.intrinsics import load_word, multiply_high, prefetch, store_word
from engine.search.scores import NO_SCORE, TB_BAND, is_decisive
from engine.system.errors import InputError
from engine.system.host import zeroed_memory

UPPER, LOWER, EXACT = np.int64(1), np.int64(2), np.int64(3)
TT_MISS = np.uint64(0)
ENTRY_BYTES, BUCKET_BYTES, BUCKET_ENTRIES = 16, 64, 4
GENERATIONS = np.int64(64)
# Where each field of an entry begins, as in the picture above.
_SCORE_SHIFT, _EVAL_SHIFT, _DEPTH_SHIFT, _PV_SHIFT, _GENERATION_SHIFT, _BOUND_SHIFT = (
    np.uint64(bits) for bits in (16, 32, 48, 55, 56, 62))
_FIELD_MASK = np.int64(0xFFFF)
_GENERATION_MASK = np.uint64(GENERATIONS - 1)
_MEGABYTE = 1 << 20
_MAX_DEPTH = np.int64(127)
_WORDS_PER_PAGE = 512  # of the smallest pages, 4096 bytes
_AGE_WEIGHT = np.int64(4)  # each generation of age counts against an entry like this many plies of depth
_KEPT_DEPTH = np.int64(3)  # a bound does not replace an entry of this search that is deeper by more plies than this
_EMPTY_WORTH, _MOST_WORTH = np.int64(-(1 << 20)), np.int64(1 << 30)  # below and above that of any entry


class TranspositionTable:
    """Owns the memory of the table; kernels get its address."""

    def __init__(self, megabytes: float) -> None:
        self.resize(megabytes)

    def resize(self, megabytes: float) -> None:
        """Make an empty table of `megabytes`; InputError if there is not enough memory."""
        try:
            memory = zeroed_memory(int(megabytes * _MEGABYTE) // BUCKET_BYTES * BUCKET_BYTES)
        except MemoryError as error:
            raise InputError(f"no memory for a table of {megabytes:g} MB") from error
        self.words: npt.NDArray[np.uint64] = np.frombuffer(memory, np.uint64)
        self._is_prefaulted = False
        self.megabytes = megabytes
        self.generation = 0

    def prefault(self) -> None:
        """Have the system provide all memory now rather than on the clock.

        It clears a page when that is first touched, which takes as long as a hundred nodes: a search would start slowly
        and be late to see that its time is up. Nothing changes if it was done before.
        """
        if not self._is_prefaulted:
            self.words[::_WORDS_PER_PAGE] |= TT_MISS  # what is written there already stays
            self._is_prefaulted = True

    @property
    def address(self) -> int:
        """The address of the first bucket."""
        return int(self.words.ctypes.data)

    @property
    def buckets(self) -> int:
        """The number of buckets."""
        return self.words.nbytes // BUCKET_BYTES

    def clear(self, threads: int = 1) -> None:
        """Clear the table, using several threads."""
        self.generation = 0
        if threads == 1:
            clear_words(self.address, self.words.size)
            return
        from concurrent.futures import ThreadPoolExecutor

        parts = np.array_split(self.words, threads)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda part: clear_words(part.ctypes.data, part.size), parts))

    def next_generation(self) -> None:
        """Age all entries, for a new search."""
        self.generation = (self.generation + 1) % int(GENERATIONS)

    def hashfull(self) -> int:
        """How full the table is with entries of this search, in thousandths, estimated from the first buckets."""
        sample = self.words[1 : 2000 : 2] >> _GENERATION_SHIFT
        # The bound, above the generation, is never 0 in an entry that is in use.
        is_current = (sample & _GENERATION_MASK == np.uint64(self.generation)) & (sample > _GENERATION_MASK)
        return 1000 * int(np.count_nonzero(is_current)) // is_current.size


@entry(int64, int64)
def clear_words(address: int, count: int) -> None:
    """Set `count` words from `address` on to zero."""
    for index in range(count):
        store_word(address + 8 * index, TT_MISS)


@inline
def _field(tt_entry, shift):
    """The sixteen bits of `tt_entry` from `shift` on, as a signed number."""
    return np.int64(np.int16(np.int64(tt_entry >> shift) & _FIELD_MASK))


@inline
def entry_move(tt_entry):
    """The best or refuting move, or NULL_MOVE."""
    return np.int64(tt_entry) & _FIELD_MASK


@inline
def score_from_tt(tt_entry, ply):
    """The score, with mates and tablebase wins counted from the root."""
    score = _field(tt_entry, _SCORE_SHIFT)
    if score >= TB_BAND:
        return score - ply
    if score <= -TB_BAND:
        return score + ply
    return score


@inline
def entry_eval(tt_entry):
    """The static evaluation, or NO_SCORE."""
    return _field(tt_entry, _EVAL_SHIFT)


@inline
def entry_depth(tt_entry):
    """The depth to which the score was searched."""
    return np.int64(tt_entry >> _DEPTH_SHIFT & np.uint64(_MAX_DEPTH))


@inline
def entry_tt_pv(tt_entry):
    """1 if the position was in a principal variation, else 0; 0 for TT_MISS."""
    return np.int64(tt_entry >> _PV_SHIFT & np.uint64(1))


@inline
def entry_bound(tt_entry):
    """UPPER, LOWER or EXACT."""
    return np.int64(tt_entry >> _BOUND_SHIFT)


@inline
def _entry_generation(tt_entry):
    return np.int64(tt_entry >> _GENERATION_SHIFT & _GENERATION_MASK)


@inline
def _bucket_address(address, buckets, key):
    return address + multiply_high(key, np.uint64(buckets)) * BUCKET_BYTES


@inline
def tt_prefetch(address, buckets, key):
    """Prefetch the bucket of a position that will be probed soon: it is hardly ever in a cache."""
    prefetch(_bucket_address(address, buckets, key))


@kernel
def probe_entry(address, buckets, key):
    """The entry stored for `key`, or TT_MISS."""
    slot = _bucket_address(address, buckets, key)
    for _ in range(BUCKET_ENTRIES):
        tt_entry = load_word(slot + 8)
        if load_word(slot) ^ tt_entry == key and tt_entry != TT_MISS:
            return tt_entry
        slot += ENTRY_BYTES
    return TT_MISS


@inline
def score_to_tt(score, ply):
    """A score as it is stored: mates and tablebase wins counted from the node, which is `ply` plies from the root."""
    if score >= TB_BAND:
        return score + ply
    if score <= -TB_BAND:
        return score - ply
    return score


@inline
def pack_entry(move, score, static_eval, depth, bound, tt_pv):
    """What is known about a position, as a word for `store_entry`; the score is a `score_to_tt`."""
    return (np.uint64(move) | np.uint64(score & _FIELD_MASK) << _SCORE_SHIFT
            | np.uint64(static_eval & _FIELD_MASK) << _EVAL_SHIFT | np.uint64(min(depth, _MAX_DEPTH)) << _DEPTH_SHIFT
            | np.uint64(tt_pv) << _PV_SHIFT | np.uint64(bound) << _BOUND_SHIFT)


@kernel
def store_entry(address, buckets, generation, key, new):
    """Store a result, packed by `pack_entry`.

    An entry with the same key is replaced, unless it is from this search and more than _KEPT_DEPTH plies deeper and
    the new score is only a bound. Otherwise the least valuable entry of the bucket is replaced.
    """
    slot = _bucket_address(address, buckets, key)
    victim, least_worth = slot, _MOST_WORTH
    for _ in range(BUCKET_ENTRIES):
        tt_entry = load_word(slot + 8)
        if load_word(slot) ^ tt_entry == key and tt_entry != TT_MISS:
            if (entry_bound(new) != EXACT and entry_depth(new) + _KEPT_DEPTH < entry_depth(tt_entry)
                    and _entry_generation(tt_entry) == generation):
                return
            if entry_move(new) == 0:
                new |= np.uint64(entry_move(tt_entry))
            victim = slot
            break
        age = (generation - _entry_generation(tt_entry)) & (GENERATIONS - 1)
        worth = entry_depth(tt_entry) - _AGE_WEIGHT * age if tt_entry != TT_MISS else _EMPTY_WORTH
        if worth < least_worth:
            victim, least_worth = slot, worth
        slot += ENTRY_BYTES
    new |= np.uint64(generation) << _GENERATION_SHIFT
    store_word(victim, key ^ new)
    store_word(victim + 8, new)


@inline
def tt_lookup(pos, state, ply):
    """(the entry or TT_MISS, its score counted from the root or NO_SCORE)."""
    if not state.params.use_tt:
        return TT_MISS, NO_SCORE
    tt_entry = probe_entry(state.tt_address, state.tt_buckets, pos.key)
    state.tt_probes += 1
    state.tt_hits += np.int64(tt_entry != TT_MISS)
    return tt_entry, (score_from_tt(tt_entry, ply) if tt_entry != TT_MISS else NO_SCORE)


@inline
def tt_store(pos, state, ply, move, score, static_eval, depth, bound, tt_pv):
    """Store the result of a node, with its score counted from the root, if the TT is on."""
    if state.params.use_tt:
        tt_entry = pack_entry(move, score_to_tt(score, ply), static_eval, depth, bound, tt_pv)
        store_entry(state.tt_address, state.tt_buckets, state.tt_generation, pos.key, tt_entry)


@inline
def tt_score_is_usable(pos, params):
    """Whether TT scores may cut off: not close to a draw by the fifty-move rule, which they do not take into
    account.
    """
    return params.use_tt_cutoffs and pos.rule50 < params.tt_rule50


@inline
def bound_cuts(bound, score, alpha, beta):
    """Whether a stored bound causes a cutoff in this window."""
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@inline
def is_more_informative(bound, score, reference):
    """Whether a score with this bound is better than the estimate `reference`: exact, or a bound beyond it."""
    return bound == EXACT or (bound == LOWER and score > reference) or (bound == UPPER and score < reference)


@inline
def legal_or_null(pos, move, checkers, pinned):
    """Return `move` if it is legal here, otherwise NULL_MOVE. A TT move may come from a key collision or a
    torn entry.
    """
    if move != NULL_MOVE and is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned):
        return move
    return NULL_MOVE


@inline
def refine_by_tt(state, tt_entry, tt_score, estimate):
    """`estimate`, or the TT score if its bound makes it the better one."""
    if (tt_entry != TT_MISS and state.params.use_tt_cutoffs and not is_decisive(tt_score)
            and is_more_informative(entry_bound(tt_entry), tt_score, estimate)):
        return tt_score
    return estimate


@inline
def tt_score_cuts(pos, params, tt_entry, tt_score, alpha, beta, depth, may_cut):
    """Whether the TT score causes a cutoff: deep enough, and not close to a draw by the fifty-move rule.

    With PVS only nodes with a null window are cut off, so that the principal variation stays whole.
    """
    return (may_cut and entry_depth(tt_entry) >= depth and bound_cuts(entry_bound(tt_entry), tt_score, alpha, beta)
            and tt_score_is_usable(pos, params))
