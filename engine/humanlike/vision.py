"""What a person sees of a position: how far, how much of the judgement, and which moves do not come to mind."""

from __future__ import annotations

from typing import NamedTuple

from engine.kernel import record_type
from engine.kernel.records import I8, U8, Fields, dtype_of, new_record


class VisionRecord(Fields):
    """What kernels know of a person's sight."""

    blindness: I8  # per mille: how often an ordinary capture is overlooked one ply ahead
    capture_plies: I8  # plies of captures that are followed where nothing else is looked at
    knowledge: I8  # per cent: how much of the evaluation is understood; the rest counts men
    margin: I8  # centipawns: how much worse than the best a move may be and still have an exact value
    seed: U8  # of the game: what is overlooked in a position stays overlooked


SIGHT_TYPE = record_type(dtype_of(VisionRecord))


class Vision(NamedTuple):
    """The same for callers in Python; `depth` is plies, a fraction of one is looked at now and then."""

    depth: float
    blindness: float
    chain: float
    knowledge: float
    margin: float


def write_vision(record: VisionRecord, sight: Vision, seed: int) -> None:
    """Let kernels see so."""
    record.blindness, record.capture_plies = round(sight.blindness), round(sight.chain)
    record.knowledge, record.margin, record.seed = round(sight.knowledge), round(sight.margin), seed


def new_vision() -> VisionRecord:
    """A record of somebody who sees nothing yet."""
    return new_record(VisionRecord)
