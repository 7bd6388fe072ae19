"""A small neural network with two outputs: who will win, and which moves deserve attention.

One hidden layer. The value is between -1 and 1, the policy is a probability for every action. It is trained by gradient
descent (Adam) on the squared error of the value and the cross-entropy of the policy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Network:
    """Weights, and what is needed to improve them."""

    def __init__(self, inputs: int, hidden: int, actions: int, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights: dict[str, Array] = {
            "hidden": random.normal(0, np.sqrt(2 / inputs), (inputs, hidden)), "hidden bias": np.zeros(hidden),
            "value": random.normal(0, 0.1 / np.sqrt(hidden), (hidden, 1)), "value bias": np.zeros(1),
            "policy": random.normal(0, 0.1 / np.sqrt(hidden), (hidden, actions)), "policy bias": np.zeros(actions),
        }
        self._means = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self._squares = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self._steps = 0

    def predict(self, inputs: Array) -> tuple[Array, Array]:
        """The value and the policy of each row of inputs."""
        _, value, policy = self._forward(inputs)
        return value, policy

    def _forward(self, inputs: Array) -> tuple[Array, Array, Array]:
        weights = self.weights
        hidden = np.maximum(inputs @ weights["hidden"] + weights["hidden bias"], 0)
        value = np.tanh(hidden @ weights["value"] + weights["value bias"])[:, 0]
        logits = hidden @ weights["policy"] + weights["policy bias"]
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, value, exponents / exponents.sum(axis=1, keepdims=True)

    def loss(self, inputs: Array, values: Array, policies: Array) -> float:
        """How wrong the network is about examples, on average."""
        value, policy = self.predict(inputs)
        return float(np.mean((value - values) ** 2) - np.mean(np.sum(policies * np.log(policy + 1e-12), axis=1)))

    def gradients(self, inputs: Array, values: Array, policies: Array) -> dict[str, Array]:
        """How the loss changes with each weight: the chain rule, from the outputs back to the inputs."""
        hidden, value, policy = self._forward(inputs)
        at_value = (2 * (value - values) * (1 - value**2) / len(inputs))[:, None]
        at_policy = (policy - policies) / len(inputs)
        at_hidden = (at_value @ self.weights["value"].T + at_policy @ self.weights["policy"].T) * (hidden > 0)
        return {"hidden": inputs.T @ at_hidden, "hidden bias": at_hidden.sum(axis=0),
                "value": hidden.T @ at_value, "value bias": at_value.sum(axis=0),
                "policy": hidden.T @ at_policy, "policy bias": at_policy.sum(axis=0)}

    def train(self, inputs: Array, values: Array, policies: Array, rate: float = 0.001) -> None:
        """One step of Adam: downhill, with smaller steps where the gradient keeps changing."""
        self._steps += 1
        for name, gradient in self.gradients(inputs, values, policies).items():
            self._means[name] = 0.9 * self._means[name] + 0.1 * gradient
            self._squares[name] = 0.999 * self._squares[name] + 0.001 * gradient**2
            mean = self._means[name] / (1 - 0.9**self._steps)
            square = self._squares[name] / (1 - 0.999**self._steps)
            self.weights[name] -= rate * mean / (np.sqrt(square) + 1e-8)
