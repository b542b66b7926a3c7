"""The networks as Torch modules, and their weights as plain arrays with batch normalisation folded in."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import network

EPSILON = 1e-3

# The first layers, which take most of a step's time and change least once they have been trained.
EARLY = ("stem", "s0_", "s1_")


class Convolution(nn.Module):
    """A convolution with TensorFlow's "SAME" padding, batch normalisation and ReLU6, each as asked for."""

    def __init__(self, inputs, outputs, kernel, stride, depthwise, act, norm):
        super().__init__()
        self.c = nn.Conv2d(inputs, outputs, kernel, stride, 0, groups=inputs if depthwise else 1, bias=not norm)
        self.bn = nn.BatchNorm2d(outputs, eps=EPSILON, momentum=0.03) if norm else None
        self.kernel, self.stride, self.act = kernel, stride, act

    def forward(self, x):
        if self.kernel > 1:
            pads = []
            for size in (x.shape[3], x.shape[2]):
                total = max((-(-size // self.stride) - 1) * self.stride + self.kernel - size, 0)
                pads += [total // 2, total - total // 2]
            x = functional.pad(x, pads)
        x = self.c(x)
        if self.bn is not None:
            x = self.bn(x)
        return functional.relu6(x) if self.act else x


class Dense(nn.Linear):
    pass


class Builder:
    """Runs a network; layers that `modules` lacks are made on the way, those that are frozen stay as they are."""

    def __init__(self, modules, frozen=()):
        self.modules, self.frozen = modules, tuple(frozen)

    def conv(self, name, x, channels, kernel, stride, depthwise=False, act=False, norm=True):
        if name not in self.modules:
            inputs = x.shape[1]
            self.modules[name] = Convolution(inputs, inputs if depthwise else channels, kernel, stride, depthwise, act, norm).eval()
        if self.frozen and name.startswith(self.frozen):
            with torch.no_grad():
                return self.modules[name].eval()(x)
        return self.modules[name](x)

    def dense(self, name, x, classes):
        if name not in self.modules:
            self.modules[name] = Dense(x.shape[1], classes).eval()
        return self.modules[name](x)

    def add(self, a, b):
        return a + b

    def relu(self, x):
        return functional.relu6(x)

    def up(self, x):
        return functional.interpolate(x, scale_factor=2.0, mode="nearest")

    def mean(self, x):
        return x.mean((2, 3))


class Localizer(nn.Module):
    """The localizer; layers whose names begin with one of `frozen` are not trained."""

    def __init__(self, configuration="fmb_m", frozen=(), classes=1):
        super().__init__()
        self.configuration, self.frozen, self.classes = network.CONFIGURATIONS[configuration], frozen, classes
        self.m = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            _, maps = self.run(torch.zeros(1, 3, network.LOCALIZER_SIDE, network.LOCALIZER_SIDE))
        self.widths = [x.shape[1] for x in maps]
        self.train()

    def run(self, x):
        return network.localizer(Builder(self.m, self.frozen), x, self.configuration, self.classes)

    def forward(self, x):
        """Codes [n, 738, 4], logits [n, 738] (with several classes [n, 738, classes]), three feature maps."""
        answers, maps = self.run(x)
        n = x.shape[0]
        codes = torch.cat([codes.permute(0, 2, 3, 1).reshape(n, -1, 4) for codes, _ in answers], 1)
        logits = torch.cat([logits.permute(0, 2, 3, 1).reshape(n, -1, self.classes) for _, logits in answers], 1)
        logits = logits.squeeze(2) if self.classes == 1 else logits
        return codes.float(), logits.float(), maps


class Classifier(nn.Module):
    """The classifier; layers whose names begin with one of `frozen` are not trained, which the first ones hardly need."""

    def __init__(self, classes, configuration="fmb_m", frozen=()):
        super().__init__()
        self.configuration, self.classes, self.frozen = network.CONFIGURATIONS[configuration], classes, frozen
        self.m = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            self(torch.zeros(1, 3, network.CLASSIFIER_SIDE, network.CLASSIFIER_SIDE))
        self.train()

    def forward(self, x):
        logits, features = network.classifier(Builder(self.m, self.frozen), x, self.configuration, self.classes)
        return logits.float(), features.float()


def folded(state):
    """Weights by layer as TensorFlow lays them out (height, width, in, out), with batch normalisation folded in."""
    arrays = {}
    for layer in sorted({name.split(".")[1] for name in state}):
        part = lambda suffix: state[f"m.{layer}.{suffix}"].double().numpy()
        if f"m.{layer}.weight" in state:
            weight, bias = part("weight").T, part("bias")
        else:
            weight = part("c.weight")
            if f"m.{layer}.bn.weight" in state:
                scale = part("bn.weight") / np.sqrt(part("bn.running_var") + EPSILON)
                bias = part("bn.bias") - part("bn.running_mean") * scale
                weight = weight * scale[:, None, None, None]
            else:
                bias = part("c.bias")
            weight = weight.transpose(2, 3, 1, 0)
        arrays[f"{layer}/weight"], arrays[f"{layer}/bias"] = weight.astype(np.float32), bias.astype(np.float32)
    return arrays


def normalised(pixels):
    """Pixels [n, h, w, 3] in 0…255 as a Torch batch in -1…1."""
    x = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 127.5 - 1
    return x.contiguous(memory_format=torch.channels_last)
