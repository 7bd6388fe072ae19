"""The kinds of search in this package, made according to the settings: one tree search, four sets of parameters."""

from __future__ import annotations

from typing import Protocol

from engine.mcts import params
from engine.mcts.searcher import MctsSearch
from eval.policy.file import read_policy
from eval.policy.memory import LoadedPolicy

_HUNDREDTHS = 100  # as options, exploration constants are integers


class MctsOptions(Protocol):
    """The settings that the tree searches read."""

    @property
    def threads(self) -> int: ...
    @property
    def puct_exploration(self) -> int: ...
    @property
    def uct_exploration(self) -> int: ...
    @property
    def playout_policy(self) -> str: ...
    @property
    def mcts_leaf_depth(self) -> int: ...
    @property
    def mcts_pool(self) -> int: ...
    @property
    def contempt(self) -> int: ...
    @property
    def policy_file(self) -> str: ...


def mcts(wishes: MctsOptions, megabytes: int) -> MctsSearch:
    """The learned search: a policy guides the selection, and the network values leaves as wins, draws and losses."""
    made = params.learned(leaf_depth=wishes.mcts_leaf_depth, contempt=wishes.contempt / _HUNDREDTHS)
    policy = LoadedPolicy(read_policy(wishes.policy_file)) if wishes.policy_file else None
    return MctsSearch(made, megabytes, wishes.threads, wishes.mcts_pool, policy=policy)


def puct(wishes: MctsOptions, megabytes: int) -> MctsSearch:
    """PUCT: hand-made priors guide the selection, and leaves are valued by search."""
    return _tree(wishes, megabytes, params.puct(puct=wishes.puct_exploration / _HUNDREDTHS,
                                                leaf_depth=wishes.mcts_leaf_depth))


def uct(wishes: MctsOptions, megabytes: int) -> MctsSearch:
    """UCT: UCB1 guides the selection, and leaves are valued by playouts."""
    return _tree(wishes, megabytes, params.uct(leaf=params.LEAVES[wishes.playout_policy],
                                               exploration=wishes.uct_exploration / _HUNDREDTHS))


def montecarlo(wishes: MctsOptions, megabytes: int) -> MctsSearch:
    """Pure Monte Carlo: equally many playouts for every root move."""
    return _tree(wishes, megabytes, params.pure_monte_carlo(leaf=params.LEAVES[wishes.playout_policy]))


def _tree(wishes: MctsOptions, megabytes: int, made: params.TreeParamsRecord) -> MctsSearch:
    return MctsSearch(made, megabytes, wishes.threads, wishes.mcts_pool)
