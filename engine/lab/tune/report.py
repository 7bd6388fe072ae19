"""What a training run prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval.network.metrics import Losses

if TYPE_CHECKING:
    from eval.network.train import TrainingReport

MILLION = 1_000_000


def print_now(line: str) -> None:
    """Print a line and flush it, so that a log file is up to date."""
    print(line, flush=True)


def loss_columns(losses: Losses) -> str:
    """The three losses, in columns."""
    return f"{losses.target:9.6f} {losses.result:9.6f} {losses.score:9.6f}"


def report_line(report: TrainingReport) -> str:
    """A report of the trainer, formatted as one line."""
    return (f"{report.stage} {report.epoch:7.2f} ({100 * report.progress:5.1f} %) training {report.training_loss:.6f} "
            f"validation {loss_columns(report.validation)} rate {report.rate:.1e} {report.speed / MILLION:.2f} M/s "
            f"at {report.seconds:.0f} s")
