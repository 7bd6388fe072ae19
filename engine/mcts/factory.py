"""Factories of the search modes of this package: one tree search with four sets of parameters."""

from __future__ import annotations

from typing import Protocol

from engine.mcts import params
from engine.mcts.searcher import MctsSearch
from engine.system.files import user_path
from eval.policy.file import read_policy
from eval.policy.memory import LoadedPolicy

_HUNDREDTHS = 100  # UCI options are integers, in hundredths


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


def mcts(options: MctsOptions, megabytes: int) -> MctsSearch:
    """The learned search: a policy guides the selection, and the network gives the WDL of leaves."""
    tree_params = params.learned(leaf_depth=options.mcts_leaf_depth, contempt=options.contempt / _HUNDREDTHS)
    policy = LoadedPolicy(read_policy(user_path(options.policy_file))) if options.policy_file else None
    return MctsSearch(tree_params, megabytes, options.threads, options.mcts_pool, policy=policy)


def puct(options: MctsOptions, megabytes: int) -> MctsSearch:
    """PUCT: hand-made priors guide the selection, and a shallow search values leaves."""
    return _tree(options, megabytes, params.puct(puct=options.puct_exploration / _HUNDREDTHS,
                                                leaf_depth=options.mcts_leaf_depth))


def uct(options: MctsOptions, megabytes: int) -> MctsSearch:
    """UCT: UCB1 guides the selection, and playouts value leaves."""
    return _tree(options, megabytes, params.uct(leaf=params.LEAVES[options.playout_policy],
                                               exploration=options.uct_exploration / _HUNDREDTHS))


def montecarlo(options: MctsOptions, megabytes: int) -> MctsSearch:
    """Pure Monte Carlo: equally many playouts for every root move."""
    return _tree(options, megabytes, params.pure_monte_carlo(leaf=params.LEAVES[options.playout_policy]))


def _tree(options: MctsOptions, megabytes: int, tree_params: params.TreeParamsRecord) -> MctsSearch:
    return MctsSearch(tree_params, megabytes, options.threads, options.mcts_pool)
