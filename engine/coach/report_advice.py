"""What to practise first: at most three sentences, each with the positions that prove it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.analysis.accuracy import Phase
from engine.coach.report import (
    LEAST_MOVES,
    SHORT_OF_TIME,
    Report,
    clock_row,
    is_mistake,
    opening_of,
    rate_of,
    thrown_half_points,
)
from engine.coach.report_games import MATE, ReportGame, ReportMove

MOST_ADVICE = 3
_LEAST_PROOFS, _LEAST_GAMES = 3, 2  # of a sentence
_MOST_PROOFS = 5
_WON = 0.85  # expected score before a move, from which a game is won
_PLURALS = {"hanging piece": "hanging pieces", "trapped piece": "trapped pieces", "passed pawn": "passed pawns",
             MATE: "mates", "zwischenzug": "in-between moves", "removal of the defender": "removals of the defender",
             "discovered check": "discovered checks", "discovered attack": "discovered attacks",
             "double check": "double checks", "back-rank mate": "back-rank mates", "smothered mate": "smothered mates",
             "zugzwang": "zugzwang", "overload": "overloaded pieces"}


class Proof(NamedTuple):
    """A position that proves a sentence."""

    game: int  # number in the file
    title: str
    ply: int  # of the game, from 0
    move: str  # `23...Rxd5?`
    fen: str  # before the move
    lost: float  # expected score


class Advice(NamedTuple):
    """What to practise, in a sentence, and the positions that prove it."""

    topic: str
    sentence: str
    cost: float  # points, as expected score, of all positions
    moves: int
    games: int
    proofs: Sequence[Proof]  # the most expensive first


class _Found(NamedTuple):
    """The moves that a weakness has cost points with."""

    topic: str  # of two weaknesses of one topic the more expensive is named
    words: str  # with places for the number of moves and of games
    moves: Sequence[tuple[ReportGame, ReportMove]]
    share: float = 1.0  # of the cost that is due to the weakness
    of: int | None = None  # the games in which it could show; None for all that are judged


def advice_of(report: Report) -> list[Advice]:
    """What to practise first, the most expensive weakness first; fewer sentences where the games prove no more."""
    judged, advice = report.judged, list[Advice]()
    candidates = [*_themes(judged), *_openings(judged), *_endings(judged), *_time(judged), *_won(judged)]
    for candidate in sorted(candidates, key=lambda weakness: -_cost(weakness)):
        games = {game.number for game, _ in candidate.moves}
        if len(candidate.moves) < _LEAST_PROOFS or len(games) < _LEAST_GAMES or len(advice) == MOST_ADVICE:
            continue
        if candidate.topic not in {known.topic for known in advice}:
            advice.append(_advice(candidate, len(games), len(judged) if candidate.of is None else candidate.of))
    return advice


def _cost(weakness: _Found) -> float:
    return weakness.share * sum(move.lost for _, move in weakness.moves)


def _advice(weakness: _Found, games: int, of: int) -> Advice:
    ranked = sorted(weakness.moves, key=lambda pair: (-pair[1].lost, pair[0].number, pair[1].ply))
    cost = _cost(weakness)
    times = f"{len(ranked)} times in {games} of {of} games"
    sentence = f"{weakness.words.format(times=times)}, which cost about {cost:.1f} points"
    return Advice(weakness.topic, sentence, round(cost, 2), len(ranked), games, [
        Proof(game.number, game.title, move.ply, move_text(move), move.fen, move.lost)
        for game, move in ranked[:_MOST_PROOFS]])


def move_text(move: ReportMove) -> str:
    """A move with its number and its mark: `23...Rxd5?`."""
    fields = move.fen.split()
    return f"{fields[5]}{'.' if fields[1] == 'w' else '...'}{move.san}{move.mark}"


def _bad_moves(judged: Iterable[ReportGame], is_one: Callable[[ReportGame, ReportMove], bool]) -> list[
        tuple[ReportGame, ReportMove]]:
    """The moves with a bad mark for which `is_one` holds."""
    return [(game, move) for game in judged for move in game.moves if move.mark and is_one(game, move)]


def _themes(judged: Sequence[ReportGame]) -> Iterator[_Found]:
    bad = _bad_moves(judged, lambda game, move: True)
    for theme in sorted({theme for _, move in bad for theme in (move.missed, move.allowed)} - {""}):
        name = _PLURALS.get(theme, f"{theme}s")
        yield _Found("themes missed", f"Practise {name}: you missed them {{times}}",
                     [pair for pair in bad if pair[1].missed == theme])
        yield _Found("themes allowed", f"Before you move, look out for {name}: you allowed them {{times}}",
                     [pair for pair in bad if pair[1].allowed == theme])


def _openings(judged: Sequence[ReportGame]) -> Iterator[_Found]:
    for opening, number in sorted(Counter(map(opening_of, judged)).items()):
        games = [game for game in judged if opening_of(game) == opening]
        moves = _bad_moves(games, lambda game, move: move.phase == Phase.OPENING.value)
        yield _Found("openings", f"Study the {opening}: you went wrong in the opening {{times}}", moves, of=number)


def _endings(judged: Sequence[ReportGame]) -> Iterator[_Found]:
    thrown = _bad_moves(judged, lambda game, move: thrown_half_points(move) > 0)
    yield _Found("endings", "Practise endings with few pieces: by the endgame tables you gave away a win or a draw "
                 "{times}", thrown)
    for name in sorted({game.ending[0] for game, _ in thrown if game.ending is not None}):
        yield _Found("endings", f"Practise the ending {name}: by the endgame tables you gave away a win or a draw "
                     "{times}", [(game, move) for game, move in thrown if game.ending and game.ending[0] == name])


def _time(judged: Sequence[ReportGame]) -> Iterator[_Found]:
    """Moves in time trouble, if more of them are mistakes than of the others, beyond the errors."""
    short = [(game, move) for game in judged for move in game.moves if move.stake and clock_row(move) == SHORT_OF_TIME]
    others = [move for game in judged for move in game.moves
              if move.stake and clock_row(move) not in (None, SHORT_OF_TIME)]
    if min(len(short), len(others)) < LEAST_MOVES:
        return
    bad = [(game, move) for game, move in short if is_mistake(move)]
    here, there = rate_of(len(bad), len(short)), rate_of(sum(map(is_mistake, others)), len(others))
    if here is None or there is None or here.value <= there.value or not here.differs_from(there):
        return
    yield _Found("time", f"Keep more time: with {SHORT_OF_TIME} of it left, {here} of a hundred moves are mistakes, "
                 f"otherwise {there}; it happened {{times}}", bad, 1 - there.value / here.value)


def _won(judged: Sequence[ReportGame]) -> Iterator[_Found]:
    yield _Found("won games", "Practise winning won games: you let the advantage go {times}",
                 _bad_moves(judged, lambda game, move: move.before >= _WON and is_mistake(move)))
