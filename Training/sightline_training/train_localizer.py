"""Trains the object localizer on prepared views."""

import concurrent.futures

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import checkpoint, shards, targets, views
from .geometry import decoded, iou
from .teachers import FEATURES, Localizer as Teacher
from .torch_network import EARLY, Localizer, normalised, sharpened

NAMES = ["x", "codes", "logits", "found", *FEATURES]

# How often an epoch shows a view of a kind: most are what people photograph, none are blends, which a network that still learns
# the teachers' answers on photos has no room for.
EMPHASIS = {"whole": 2, "crop": 2, views.BLEND: 0}


class Views:
    """Prepared views with their targets: the teachers' answers made into codes and scores of every anchor."""

    def __init__(self, folder, teacher, most=None):
        self.folder, self.shards = folder, shards.Shards(folder, NAMES)
        self.anchors = teacher.anchors
        self.count = min(len(self.shards), most or len(self.shards))
        (self.scale, self.zero), (self.score_scale, self.score_zero) = teacher.quantization
        self.codes = np.empty((self.count, 738, 4), np.float16)
        self.scores = np.empty((self.count, 738), np.float16)
        for start in range(0, self.count, 1000):
            rows = np.arange(start, min(start + 1000, self.count))
            part = self.shards.rows(rows, ["codes", "logits", "found"])
            codes = (part["codes"].astype(np.float32) - self.zero) * self.scale
            scores = 1 / (1 + np.exp(-(part["logits"].astype(np.float32) - self.score_zero) * self.score_scale))
            for index, row in enumerate(rows):
                mixed, raised = targets.fused(codes[index], scores[index], part["found"][index], self.anchors)
                self.codes[row], self.scores[row] = np.clip(mixed, -60, 60), raised
        self.mirror = mirrored_anchors(self.anchors)
        sample = self.shards.rows(np.arange(min(500, self.count)), list(FEATURES))
        self.statistics = {name: (maps.mean((0, 1, 2), dtype=np.float32), maps.astype(np.float32).std((0, 1, 2)) + 1e-3) for name, maps in sample.items()}

    def epoch(self):
        """The rows of an epoch; views of kinds to emphasise come several times."""
        settings = shards.settings(self.folder)
        seed = views.seed(settings["seed"], settings["split"])
        kinds = [views.chance(seed, number)[0] for number in shards.numbers(self.folder)[: self.count]]
        return np.repeat(np.arange(self.count), [EMPHASIS.get(kind, 1) for kind in kinds])

    def batch(self, rows, rng=None):
        """Pixels, codes, scores and feature maps; with `rng` mirrored, recoloured, and blurred or sharpened by chance."""
        rows = np.sort(rows)
        part = self.shards.rows(rows, ["x", *FEATURES])
        pixels = part["x"]
        codes, scores = self.codes[rows].astype(np.float32), self.scores[rows].astype(np.float32)
        maps = {name: (part[name].astype(np.float32) - mean) / deviation for name, (mean, deviation) in self.statistics.items()}
        if rng is not None:
            pixels = pixels.astype(np.float32)
            gain = rng.uniform(0.8, 1.2, (len(rows), 1, 1, 1)) * rng.uniform(0.94, 1.06, (len(rows), 1, 1, 3))
            pixels = np.clip((pixels - 128) * gain.astype(np.float32) + 128 + rng.uniform(-16, 16, (len(rows), 1, 1, 1)).astype(np.float32), 0, 255)
            if rng.random() < 0.5:
                pixels = pixels[:, :, ::-1]
                codes, scores = codes[:, self.mirror] * np.array([1, -1, 1, 1], np.float32), scores[:, self.mirror]
                maps = {name: values[:, :, ::-1] for name, values in maps.items()}
        features = [torch.from_numpy(np.ascontiguousarray(maps[name])).permute(0, 3, 1, 2) for name in FEATURES]
        x = normalised(np.ascontiguousarray(pixels))
        return x if rng is None else sharpened(x, rng), torch.from_numpy(codes), torch.from_numpy(scores), *features


def mirrored_anchors(anchors):
    """For each anchor the one at its place in the mirrored picture."""
    image = anchors * np.array([1, -1, 1, 1], np.float32) + np.array([0, 1, 0, 0], np.float32)
    distance = np.abs(image[:, None] - anchors[None]).sum(-1)
    return distance.argmin(1)


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
        x, target_codes, target_scores, *_ = views.batch(np.arange(start, min(start + size, views.count)))
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


def train(work, teacher_path, log, initial=None, steps=None, minutes=None, seed=0, size=64, rate=1.5e-3, feature_weight=0.1, count=None, configuration="fmb_m", freeze=False):
    torch.manual_seed(seed)
    teacher = Teacher(teacher_path)
    log("localizer: makes targets of the teachers' answers")
    training, validation = Views(work / "localizer-train", teacher, count), Views(work / "localizer-val", teacher)
    model = Localizer(configuration, EARLY if freeze else ()).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    imitation = nn.ModuleList([nn.Conv2d(width, shape[2], 1) for width, shape in zip(model.widths, FEATURES.values())]).to(checkpoint.DEVICE)
    if initial:
        weights = checkpoint.load(initial)
        if "average" in weights:  # the checkpoint of a run, which also knows how features are imitated
            imitation.load_state_dict(weights["modules"]["imitation"])
        model.load_state_dict(weights.get("average") or weights["ema"])
    settings = {"model": "localizer", "seed": seed, "batch": size, "rate": rate, "views": training.count, "freeze": freeze, "initial": str(initial or ""), "steps": steps, "minutes": minutes}
    run = checkpoint.Run(work / "localizer-run.pt", {"model": model, "imitation": imitation}, rate, 0.02, 0.998, log, steps, minutes, settings)
    run.resume()
    pool, epoch = concurrent.futures.ThreadPoolExecutor(1), training.epoch()

    def load(step):
        rows = epoch[checkpoint.batch_rows(seed, step, min(size, len(epoch)), len(epoch))]
        return training.batch(rows, np.random.default_rng([seed, 1, step]))

    following = {run.step: pool.submit(load, run.step)}

    def step_loss(step, progress):
        x, target_codes, target_scores, *features = (values.to(checkpoint.DEVICE) for values in following.pop(step).result())
        following[step + 1] = pool.submit(load, step + 1)
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

    log(f"localizer: {training.count} views, {len(epoch)} an epoch, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    run.train(step_loss, every=180.0, report=report)
    pool.shutdown(cancel_futures=True)
    report()
    log(f"localizer: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
