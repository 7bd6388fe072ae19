"""Vision: how far the human-like search sees, how much it understands, and how often it overlooks moves."""

from __future__ import annotations

from typing import NamedTuple

from engine.kernel import record_type
from engine.kernel.records import I8, U8, Fields, dtype_of, new_record


class VisionRecord(Fields):
    """The vision for kernels."""

    blindness: I8  # per mille: how often a normal capture is overlooked one ply ahead
    capture_plies: I8  # plies of captures beyond the depth
    knowledge: I8  # per cent of the evaluation that is understood beyond material
    seed: U8  # of the game: fixes for every move in a position how easily it is overlooked


VISION_TYPE = record_type(dtype_of(VisionRecord))


class Vision(NamedTuple):
    """The vision for Python; the fraction of `depth`, in plies, is the probability of one ply more."""

    depth: float
    blindness: float
    capture_plies: float
    knowledge: float
    largest_loss: float  # of expected score: moves that are at most this much worse than the best get exact scores


def write_vision(record: VisionRecord, vision: Vision, seed: int) -> None:
    """Write a vision and the seed of the game to the record for kernels."""
    record.blindness, record.capture_plies = round(vision.blindness), round(vision.capture_plies)
    record.knowledge, record.seed = round(vision.knowledge), seed


def new_vision() -> VisionRecord:
    """Return a new record of zeros."""
    return new_record(VisionRecord)
