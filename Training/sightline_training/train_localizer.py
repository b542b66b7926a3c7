"""Trains the object localizer on views made anew of prepared ones."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import checkpoint, shards, targets
from .fresh import epoch
from .geometry import decoded, iou
from .loader import Loader
from .teachers import FEATURES, Localizer as Teacher
from .torch_network import EARLY, Localizer, normalised, sharpened


class Views:
    """Prepared views as they are, with the teachers' answers: what a training is measured on."""

    def __init__(self, folder, teacher):
        parts = shards.Shards(folder, ["x", "codes", "logits", "found"])
        rows = parts.rows(np.arange(len(parts)))
        self.pixels, self.anchors, self.count = rows["x"], teacher.anchors, len(parts)
        answers = [targets.fused(*teacher.answers(codes, logits), found, self.anchors) for codes, logits, found in zip(rows["codes"], rows["logits"], rows["found"])]
        self.codes, self.scores = (np.stack(values).astype(np.float32) for values in zip(*answers))

    def batch(self, rows):
        """Pixels, codes and scores."""
        return normalised(self.pixels[rows]), torch.from_numpy(self.codes[rows]), torch.from_numpy(self.scores[rows])


def losses(codes, logits, target_codes, target_scores):
    """What the answers still lack: scores by cross entropy, most where they are furthest off, and boxes by score."""
    count = target_scores.sum(1).mean().clamp(min=1.0)
    weight = (torch.sigmoid(logits).detach() - target_scores).abs() + 0.02
    entropy = torch.special.entr(target_scores) + torch.special.entr(1 - target_scores)
    excess = functional.binary_cross_entropy_with_logits(logits, target_scores, reduction="none") - entropy
    score_loss = (excess * weight).sum(1).mean() / count * 4
    sure = torch.where(target_scores > 0.05, target_scores, torch.zeros_like(target_scores))
    box_loss = (functional.smooth_l1_loss(codes, target_codes, beta=0.5, reduction="none").mean(-1) * sure).sum(1).mean() / count
    return score_loss, box_loss


@torch.no_grad()
def agreement(model, state, views, size=100):
    """Losses on validation views, and how often the best box is the one that the targets want."""
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    model.eval()
    rows = []
    for start in range(0, views.count, size):
        x, target_codes, target_scores = views.batch(np.arange(start, min(start + size, views.count)))
        codes, logits, _ = (values if isinstance(values, tuple) else values.cpu() for values in model(x.to(checkpoint.DEVICE)))
        score_loss, box_loss = losses(codes, logits, target_codes, target_scores)
        same = 0
        for index in range(len(x)):
            mine, theirs = int(logits[index].argmax()), int(target_scores[index].argmax())
            a = decoded(codes[index, mine : mine + 1].numpy(), views.anchors[mine : mine + 1])
            b = decoded(target_codes[index, theirs : theirs + 1].numpy(), views.anchors[theirs : theirs + 1])
            same += iou(a, b)[0, 0] >= 0.5
        rows.append([float(score_loss), float(box_loss), same / len(x)])
    model.load_state_dict(kept)
    model.train()
    return np.mean(rows, 0)


def train(work, teacher_path, log, initial=None, steps=None, minutes=None, seed=0, size=64, rate=1.5e-3, feature_weight=0.1, count=None, configuration="fmb_m", freeze=False, loaders=1):
    torch.manual_seed(seed)
    validation = Views(work / "localizer-val", Teacher(teacher_path))
    views = len(epoch(work / "localizer-train", count))
    model = Localizer(configuration, EARLY if freeze else ()).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    imitation = nn.ModuleList([nn.Conv2d(width, channels, 1) for width, channels in zip(model.widths, FEATURES)]).to(checkpoint.DEVICE)
    if initial:
        weights = checkpoint.load(initial)
        if "average" in weights:  # the checkpoint of a run, which also knows how features are imitated
            imitation.load_state_dict(weights["modules"]["imitation"])
        model.load_state_dict(weights.get("average") or weights["ema"])
    settings = {"model": "localizer", "seed": seed, "batch": size, "rate": rate, "views": views, "freeze": freeze, "initial": str(initial or ""), "steps": steps, "minutes": minutes}
    run = checkpoint.Run(work / "localizer-run.pt", {"model": model, "imitation": imitation}, rate, 0.02, 0.998, log, steps, minutes, settings)
    run.resume()
    loader = Loader(loaders, run.step, work / "localizer-train", teacher_path, count, seed, size)

    def batch(step):
        pixels, codes, scores, maps = loader.batch()
        features = [torch.from_numpy(values).permute(0, 3, 1, 2) for values in maps]
        x = sharpened(normalised(pixels), np.random.default_rng([seed, 2, step]))
        return [values.to(checkpoint.DEVICE) for values in (x, torch.from_numpy(codes), torch.from_numpy(scores), *features)]

    def step_loss(step, progress):
        x, target_codes, target_scores, *features = batch(step)
        with checkpoint.precision():
            codes, logits, maps = model(x)
            imitated = [layer(values) for layer, values in zip(imitation, maps)]
        score_loss, box_loss = losses(codes, logits, target_codes, target_scores)
        feature_loss = sum(functional.mse_loss(mine.float(), theirs) for mine, theirs in zip(imitated, features)) / 3
        loss = score_loss + 2 * box_loss + feature_weight * (1 - 0.7 * progress) * feature_loss
        return loss, {"scores": score_loss.detach(), "boxes": box_loss.detach(), "features": feature_loss.detach()}

    def report():
        score_loss, box_loss, same = agreement(model, run.average.state, validation)
        log(f"validation: scores {score_loss:.4f}  boxes {box_loss:.4f}  best box as wanted {same:.3f}")
        checkpoint.finish(work, "localizer", run.average.state, configuration)

    log(f"localizer: {views} prepared views an epoch, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    try:
        run.train(step_loss, every=180.0, report=report)
    finally:
        loader.close()
    report()
    log(f"localizer: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
