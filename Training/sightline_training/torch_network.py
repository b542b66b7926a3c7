"""The networks as Torch modules, and their weights as plain arrays with batch normalization folded in."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import fused, network

EPSILON = 1e-3

# The first layers, which take most of a step's time and change least once they have been trained.
EARLY = ("stem", "s0_", "s1_")


class Convolution(nn.Module):
    """A convolution with TensorFlow's "SAME" padding, batch normalization and ReLU6, each as asked for."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, stride: int, depthwise: bool, act: bool, norm: bool
    ) -> None:
        super().__init__()
        self.c = nn.Conv2d(inputs, outputs, kernel, stride, 0, groups=inputs if depthwise else 1, bias=not norm)
        self.bn = nn.BatchNorm2d(outputs, eps=EPSILON, momentum=0.03) if norm else None
        self.kernel, self.stride, self.act = kernel, stride, act
        self.halves_depthwise = depthwise and kernel == 3 and stride == 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.convolved(x, self.c.weight, self.c.bias)
        if self.bn is not None:
            if self.bn.training and fused.usable(x):
                return fused.normalized(x, self.bn, self.act)
            x = self.bn(x)
        return functional.relu6(x, inplace=True) if self.act else x

    def convolved(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        if self.kernel == 1:
            return functional.conv2d(x, weight, bias, self.stride, 0, 1, self.c.groups)
        if self.halves_depthwise and not x.is_cuda and x.shape[2] % 2 == 0 and x.shape[3] % 2 == 0:
            # The same values; on a CPU the gradient of the strided convolution takes ten times as long.
            return functional.conv2d(x, weight, bias, 1, 1, 1, self.c.groups)[:, :, 1::2, 1::2]
        height, width = (
            (max((-(-size // self.stride) - 1) * self.stride + self.kernel - size, 0)) for size in x.shape[2:]
        )
        if height == width and height % 2 == 0:  # the same on all sides: the convolution pads by itself, without a copy
            return functional.conv2d(x, weight, bias, self.stride, height // 2, 1, self.c.groups)
        x = functional.pad(x, [width // 2, width - width // 2, height // 2, height - height // 2])
        return functional.conv2d(x, weight, bias, self.stride, 0, 1, self.c.groups)

    def settled(self, x: torch.Tensor) -> torch.Tensor:
        """The answer of the layer when the statistics of normalization no longer change: it is a part of the
        convolution.
        """
        if self.bn is None:
            return self(x)
        scale = self.bn.weight / torch.sqrt(self.bn.running_var + EPSILON)
        x = self.convolved(x, self.c.weight * scale[:, None, None, None], self.bn.bias - self.bn.running_mean * scale)
        return functional.relu6(x, inplace=True) if self.act else x

    @torch.no_grad()
    def frozen(self, x: torch.Tensor) -> torch.Tensor:
        """The answer of the layer when nothing of it changes any more."""
        return self.settled(x)


class Builder:
    """Runs a network; layers that `modules` lacks are made on the way, those that are frozen stay as they are, and with
    `settled` the statistics of normalization do.
    """

    def __init__(self, modules: nn.ModuleDict, frozen: tuple[str, ...] = (), settled: bool = False) -> None:
        self.modules, self.frozen, self.settled = modules, tuple(frozen), settled

    def conv(
        self,
        name: str,
        x: torch.Tensor,
        channels: int | None,
        kernel: int,
        stride: int,
        depthwise: bool = False,
        act: bool = False,
        norm: bool = True,
    ) -> torch.Tensor:
        if name not in self.modules:
            inputs = x.shape[1]
            self.modules[name] = Convolution(
                inputs, inputs if depthwise or channels is None else channels, kernel, stride, depthwise, act, norm
            ).eval()
        layer = self.modules[name]
        if self.frozen and name.startswith(self.frozen):
            return layer.frozen(x)
        return layer.settled(x) if self.settled else layer(x)

    def add(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu6(x, inplace=True)

    def up(self, x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class Localizer(nn.Module):
    """The localizer; layers whose names begin with one of `frozen` are not trained."""

    def __init__(self, configuration: str = "fmb_l", frozen: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.configuration, self.frozen = network.CONFIGURATIONS[configuration], frozen
        self.m = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            self.run(torch.zeros(1, 3, self.configuration["side"], self.configuration["side"]))
        for name, layer in self.m.items():
            if name in {f"h{level}c" for level in network.levels(self.configuration)}:
                layer.c.bias.data.fill_(-4)  # nearly all anchors find nothing
            if name.endswith("_p") and not name.endswith("_0_p"):
                layer.bn.weight.data.zero_()  # what is added to a block's input begins with nothing
        self.train()

    def run(self, x: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
        return network.localizer(Builder(self.m, self.frozen), x, self.configuration)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Codes [n, anchors, 4] and logits [n, anchors]."""
        answers, n = self.run(x), x.shape[0]
        codes = torch.cat([codes.permute(0, 2, 3, 1).reshape(n, -1, 4) for codes, _ in answers], 1)
        logits = torch.cat([logits.permute(0, 2, 3, 1).reshape(n, -1) for _, logits in answers], 1)
        return codes.float(), logits.float()


class Detector(nn.Module):
    """The detector of the kinds; layers whose names begin with one of `frozen` are not trained, and with `settled` the
    statistics of normalization are not.
    """

    def __init__(
        self, scores: int, configuration: str = "fmb_x", frozen: tuple[str, ...] = (), settled: bool = False
    ) -> None:
        super().__init__()
        self.configuration, self.frozen, self.settled = network.CONFIGURATIONS[configuration], frozen, settled
        self.scores = scores
        self.m = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            self(torch.zeros(1, 3, network.DETECTOR_SIDE, network.DETECTOR_SIDE))
        for name, layer in self.m.items():
            if name in {f"g{stride}c" for stride in network.STRIDES}:
                layer.c.weight.data.mul_(0.3)
                layer.c.bias.data.fill_(-2)
                layer.c.bias.data[-1] = -3  # nearly all cells find nothing
            if name in {f"g{stride}e" for stride in network.STRIDES}:
                layer.c.bias.data.fill_(2.5)
                layer.c.weight.data.mul_(0.3)
            if name.startswith("s") and name.endswith("_p") and not name.endswith("_0_p"):
                layer.bn.weight.data.zero_()  # what is added to a block's input begins with nothing
        self.train()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [n, cells, scores] and distances [n, cells, 4] in strides, of all grids one after the other.

        The last score says that there is an object; what the network answers for each kind counts from there, so that
        what all kinds have in common is learned once. `network.separated` gives weights that need no such sum.
        """
        return self.seen(x)[:2]

    def seen(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor], dict[int, torch.Tensor]]:
        """The answers of `forward`, the features that the heads are given, for each of network.STRIDES, and the
        backbone's maps by stride.
        """
        builder = Builder(self.m, self.frozen, self.settled)
        maps = network.backbone(builder, x, self.configuration)
        features = network.neck(builder, maps)
        logits, distances = (
            torch.cat([part.permute(0, 2, 3, 1).flatten(1, 2) for part in parts], 1)
            for parts in zip(*network.heads(builder, features, self.scores))
        )
        logits = torch.cat([logits[..., :-1] + logits[..., -1:], logits[..., -1:]], -1)
        return logits, distances, features, maps

    def summary(self, x: torch.Tensor) -> torch.Tensor:
        """The input of the labels and the classes of whole pictures, rows of numbers: the mean of each feature on
        each grid, the mean of each channel of the backbone's maps, and the greatest logit of each score.
        """
        logits, _, features, maps = self.seen(x)
        means = [y.mean((2, 3)) for y in (*features, *(maps[stride] for stride in network.MAPS))]
        return torch.cat([*means, logits.amax(1)], 1)


class Features(nn.Module):
    """The network of features; layers whose names begin with one of `frozen` are not trained."""

    def __init__(self, configuration: str = "fmb_x", frozen: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.configuration, self.frozen = network.CONFIGURATIONS[configuration], frozen
        self.m = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            self(self.early(torch.zeros(1, 3, network.FEATURES_SIDE, network.FEATURES_SIDE)))
        self.train()

    def early(self, x: torch.Tensor) -> torch.Tensor:
        """The map of stride 8."""
        return network.early_layers(Builder(self.m, self.frozen), x, self.configuration)[8]

    def forward(self, early: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The features [n, network.FEATURES], and those of each cell [n, h, w, network.CELL_FEATURES]."""
        features, grid = network.features(Builder(self.m, self.frozen), early, self.configuration)
        layer, count = self.m["project"], network.CELL_FEATURES
        cells = functional.linear(grid.permute(0, 2, 3, 1), layer.weight[:count], layer.bias[:count])
        return features.float(), cells.float()


def borrow(model: nn.Module, state: dict[str, torch.Tensor]) -> int:
    """Copies the weights of equal name and shape, and says how many: all of the same network's, or a backbone's."""
    own, taken = model.state_dict(), 0
    for name, value in own.items():
        if name in state and state[name].shape == value.shape:
            own[name] = state[name]
            taken += 1
    model.load_state_dict(own)
    return taken


def folded(state: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Weights by layer as TensorFlow lays them out (height, width, in, out), with batch normalization folded in."""
    arrays = {}
    for layer in sorted({name.split(".")[1] for name in state}):
        part = {
            name.removeprefix(f"m.{layer}."): value.double().numpy()
            for name, value in state.items()
            if name.startswith(f"m.{layer}.")
        }
        if f"m.{layer}.weight" in state:
            weight, bias = part["weight"].T, part["bias"]
        else:
            weight = part["c.weight"]
            if f"m.{layer}.bn.weight" in state:
                scale = part["bn.weight"] / np.sqrt(part["bn.running_var"] + EPSILON)
                bias = part["bn.bias"] - part["bn.running_mean"] * scale
                weight = weight * scale[:, None, None, None]
            else:
                bias = part["c.bias"]
            weight = weight.transpose(2, 3, 1, 0)
        arrays[f"{layer}/weight"], arrays[f"{layer}/bias"] = weight.astype(np.float32), bias.astype(np.float32)
    return arrays


def normalized(pixels: np.ndarray) -> torch.Tensor:
    """Pixels [n, h, w, 3] in 0…255 as a Torch batch in -1…1."""
    x = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 127.5 - 1
    return x.contiguous(memory_format=torch.channels_last)


def sharpened(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Pictures as other cameras and other scalers would give them: softer, or with edges that overshoot."""
    amount = float(rng.uniform(-0.5, 1.0))
    if rng.random() < 0.5:
        return x
    result = x.clone(memory_format=torch.preserve_format)
    inner, share = result[:, :, 1:-1, 1:-1].mul_(1 + amount), -amount / 4
    for part in (x[:, :, :-2, 1:-1], x[:, :, 2:, 1:-1], x[:, :, 1:-1, :-2], x[:, :, 1:-1, 2:]):
        inner.add_(part, alpha=share)
    return result.clamp_(-1, 1)
