"""Checkpoints that are complete or not there, and the loop that continues from them."""

import functools
import io
import math
import pathlib
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from .errors import TrainingError
from .files import write
from .log import Log

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@functools.cache
def multiplies_bfloat16() -> bool:
    """Whether the CPU has instructions for it; others compute with it more slowly than with float32."""
    try:
        return "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


def precision() -> torch.autocast:
    """Mixed precision, where it is faster."""
    return torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda" or multiplies_bfloat16())


def save(path: pathlib.Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint aside, then gives it its name, so that a killed run leaves the one before."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write(path, buffer.getvalue())


def load(path: pathlib.Path) -> dict[str, Any]:
    try:
        return torch.load(path, map_location=DEVICE, weights_only=True)
    except FileNotFoundError:
        raise TrainingError(f"The checkpoint {path} does not exist: name another.") from None
    except Exception as error:  # Torch answers a damaged file with errors of many kinds.
        raise TrainingError(
            f"The checkpoint {path} cannot be read ({type(error).__name__}): remove it to start over."
        ) from None


# Up to this step all weights go into the average.
OFTEN_AVERAGED = 1000


class Average:
    """The running mean of a model's weights, which is better than its last weights."""

    def __init__(self, model: torch.nn.Module, decay: float) -> None:
        self.state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.decay = decay

    @torch.no_grad()
    def update(self, model: torch.nn.Module, step: int) -> None:
        """Takes in the weights after a step; later in a run only those of every fourth, which costs less."""
        apart = 1 if step < OFTEN_AVERAGED else 4
        if step % apart:
            return
        decay = min(self.decay**apart, (1 + step) / (10 + step))
        values = model.state_dict()
        real = [name for name, value in values.items() if value.dtype.is_floating_point]
        torch._foreach_lerp_([self.state[name] for name in real], [values[name] for name in real], 1 - decay)
        for name in values.keys() - real:
            self.state[name].copy_(values[name])


def optimizer(modules: Iterable[torch.nn.Module], rate: float, decay: float) -> torch.optim.AdamW:
    """AdamW; weights decay, biases and normalizations do not."""
    parameters = [parameter for module in modules for parameter in module.parameters()]
    return torch.optim.AdamW(
        [
            {"params": [parameter for parameter in parameters if parameter.ndim > 1], "weight_decay": decay},
            {"params": [parameter for parameter in parameters if parameter.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=rate,
        fused=True,
    )


def batch_rows(seed: int, step: int, size: int, total: int) -> np.ndarray:
    """Which rows make up the batch of a step: every epoch another order, that follows from the seed."""
    per_epoch = max(1, total // size)
    order = np.random.default_rng([seed, step // per_epoch]).permutation(total)
    start = (step % per_epoch) * size
    return order[start : start + size]


class Run:
    """A training run: modules, optimizer, average and place in the schedule, kept in one checkpoint.

    With `steps` the schedule follows the steps: interrupted or not, the same seed gives the same weights on the same
    machine with the same number of threads. With `minutes` it follows the clock, which no run repeats exactly.
    """

    def __init__(
        self,
        path: pathlib.Path,
        modules: dict[str, torch.nn.Module],
        rate: float,
        decay: float,
        average_decay: float,
        log: Log,
        steps: int | None = None,
        minutes: float | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.path, self.modules, self.rate, self.log = path, modules, rate, log
        self.steps, self.minutes, self.settings = steps, minutes, settings or {}
        self.optimizer = optimizer(modules.values(), rate, decay)
        self.average = Average(modules["model"], average_decay)
        self.step, self.elapsed = 0, 0.0
        self.stopped = False

    def resume(self) -> bool:
        """Continues from the checkpoint if there is one; its settings must be those of this run."""
        if not self.path.exists():
            return False
        content = load(self.path)
        if content.get("settings") != self.settings:
            raise TrainingError(
                f"{self.path} belongs to a run with other settings ({content.get('settings')}): repeat them, or remove"
                " the file."
            )
        for name, module in self.modules.items():
            module.load_state_dict(content["modules"][name])
        self.optimizer.load_state_dict(content["optimizer"])
        self.average.state = content["average"]
        self.step, self.elapsed = content["step"], content["elapsed"]
        self.log(f"continues from {self.path} at step {self.step}, {self.elapsed / 60:.1f} minutes")
        return True

    def save(self) -> None:
        save(
            self.path,
            {
                "settings": self.settings,
                "modules": {name: module.state_dict() for name, module in self.modules.items()},
                "optimizer": self.optimizer.state_dict(),
                "average": self.average.state,
                "step": self.step,
                "elapsed": self.elapsed,
            },
        )

    @property
    def progress(self) -> float:
        """The share of the schedule that is done, 0…1."""
        return min(1.0, self.step / self.steps if self.steps else self.elapsed / ((self.minutes or 1) * 60))

    def train(
        self,
        step_loss: Callable[[int, float], tuple[torch.Tensor, dict[str, torch.Tensor]]],
        every: float = 120.0,
        warm_up: int = 150,
        clip: float = 10.0,
        report: Callable[[], None] | None = None,
    ) -> None:
        """Runs `step_loss(step, progress)`, which answers with a loss and numbers to print, until the schedule ends. A
        loss that requires no gradient says that the gradients are in place already, as `Captured` leaves them.

        The numbers stay on the device, since looking at them makes a GPU wait: they are looked at every 50 steps and
        before a checkpoint, which so never holds weights that are no longer numbers.
        """
        begun, earlier = time.monotonic(), self.elapsed
        first, saved, sums, count = self.step, begun, None, 0

        def stop(*_: Any) -> None:
            self.stopped = True

        def means() -> list[float]:
            values = (sums / max(1, count)).tolist() if sums is not None else [0.0]
            if not math.isfinite(values[0]):
                raise TrainingError(
                    f"The loss is no longer a number after step {self.step}: start over with a lower --rate, without"
                    f" {self.path}."
                )
            return values[1:]

        before = [signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)]
        try:
            while self.progress < 1 and not self.stopped:
                rate = (
                    self.rate
                    * min(1, (self.step + 1) / warm_up)
                    * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * self.progress)))
                )
                for group in self.optimizer.param_groups:
                    group["lr"] = rate
                loss, numbers = step_loss(self.step, self.progress)
                if loss.requires_grad:
                    self.optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                torch.nn.utils.clip_grad_norm_(
                    [p for group in self.optimizer.param_groups for p in group["params"]], clip
                )
                self.optimizer.step()
                self.step += 1
                self.average.update(self.modules["model"], self.step)
                self.elapsed = earlier + time.monotonic() - begun
                values = torch.stack([loss.detach(), *numbers.values()])
                sums, count = values if sums is None else sums + values, count + 1
                if self.step % 50 == 0:
                    line = "  ".join(f"{name} {value:.4f}" for name, value in zip(numbers, means()))
                    speed = (self.step - first) / (time.monotonic() - begun)
                    self.log(f"step {self.step}  {self.progress:6.1%}  {speed:.2f} steps/s  rate {rate:.5f}  {line}")
                    sums, count = None, 0
                if time.monotonic() - saved > every:
                    means()
                    self.save()
                    if report:
                        report()
                    saved = time.monotonic()
            means()
            self.save()
        finally:
            for number, handler in zip((signal.SIGTERM, signal.SIGINT), before):
                signal.signal(number, handler)
        if self.stopped:
            raise TrainingError(f"Stopped at step {self.step}: the same command continues from {self.path}.")


def finish(
    work: pathlib.Path,
    name: str,
    state: dict[str, torch.Tensor],
    configuration: str,
    labels: list[str] | None = None,
    **more: Any,
) -> None:
    """Writes the averaged weights for a later run (.pt, in half precision) and, folded, for export (.npz, with
    `more`), both with the names of the outputs, if they have any.
    """
    from .torch_network import folded

    halves = {key: value.cpu().half() if value.ndim >= 2 else value.cpu() for key, value in state.items()}
    save(work / f"{name}.pt", {"cfg": configuration, "ema": halves} | ({"labels": labels} if labels else {}))
    buffer = io.BytesIO()
    arrays: dict[str, Any] = folded({key: value.cpu() for key, value in state.items()})
    if labels:
        more["labels"] = np.array(labels)
    np.savez(buffer, configuration=configuration, **more, **arrays)
    write(work / f"{name}.npz", buffer.getvalue())
