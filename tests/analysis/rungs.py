"""Does accuracy rise with strength? Measured on games of the ladder.

    python -m tests.analysis.rungs LADDER.pgn --folder REVIEWS --nodes 4000

Moves of a rung are pooled; games are compared one by one.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from engine.analysis.accuracy import PlayerAccuracy, player_accuracies
from engine.analysis.engine import Engine
from engine.analysis.move_verdicts import classify_game
from engine.analysis.review import SearchEffort
from tests.analysis.reviews import games_of, reviewed

PAIRS = ((1350, 1950), (1350, 2850))  # a single game should tell these apart


def accuracies_by_rung(path: Path, folder: Path | None, effort: SearchEffort) -> dict[int, list[PlayerAccuracy]]:
    """The accuracies of single games by the rung of the player."""
    found: dict[int, list[PlayerAccuracy]] = defaultdict(list)
    with Engine(hash=16) as adversary:
        for game in games_of(path, "all"):
            review = reviewed(adversary, game, effort, folder)
            accuracies = player_accuracies(classify_game(game.board(), list(game.mainline_moves()), review))
            for side, accuracy in zip(("White", "Black"), accuracies, strict=True):
                found[int(game.headers[side].split()[-1])].append(accuracy)
    return dict(sorted(found.items()))


def _shown(player: PlayerAccuracy) -> float:
    assert player.accuracy is not None
    return player.accuracy


def rank_correlation(values: Sequence[float]) -> float:
    """Spearman's correlation of different values with their numbers."""
    ranks = {value: rank for rank, value in enumerate(sorted(values))}
    count = len(values)
    return 1 - 6 * sum((ranks[value] - number) ** 2 for number, value in enumerate(values)) / (count * (count**2 - 1))


def main() -> None:
    """Print the accuracy of each rung, the rank correlation, and how often a single game tells two rungs apart."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--nodes", type=int, help="of each search of the first round; the default effort without it")
    arguments = parser.parse_args()
    found = accuracies_by_rung(arguments.games, arguments.folder, SearchEffort(nodes=arguments.nodes))
    pooled = dict[int, PlayerAccuracy]()
    for rung, games in found.items():
        pooled[rung] = PlayerAccuracy()
        pooled[rung].add_all(games)
        print(f"{rung}: {_shown(pooled[rung]):.1f} over {len(games)} games, rating {pooled[rung].rating_range}")
    print(f"rank correlation {rank_correlation([_shown(total) for total in pooled.values()]):.3f}")
    for low, high in PAIRS:
        pairs = list(product(found.get(low, []), found.get(high, [])))
        agreements = sum(_shown(weak) < _shown(strong) for weak, strong in pairs)
        print(f"a single game tells {low} from {high}: {agreements} of {len(pairs)}")


if __name__ == "__main__":
    main()
