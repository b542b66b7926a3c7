"""Training views of the detector, made by Torch on the device that trains: many at once, of photos that lie there.

A view is a photo or a part of it, stretched to a square, or four of them side by side; mirrored and recolored by
chance.
"""

import torch
from torch.nn import functional

from . import coco
from .named import BOX, CERTAIN, COLUMNS, KIND, OBJECT
from .packs import Pack

# How many views are a part of a photo, or four tiles; the others are whole photos. How much of a photo a part or a tile
# shows at least.
CROP, TILES = 0.35, 0.2
LEAST_OF_CROP, LEAST_OF_TILE = 0.12, 0.4

# How many views show photos in which nobody drew boxes.
UNKNOWN = 0.25

# How many objects of a view are learned, the surest first.
MOST = 40

# Of an object that a cut leaves so little, nothing is wanted; of one that it leaves the second share, all.
HIDDEN, SEEN = 0.2, 0.6

# How many views are blurred.
BLURRED = 0.06

# Objects of fewer pixels a side are not learned.
LEAST_SIDE = 5

# Photos with kinds that fewer than this share of photos have are shown more often, by this power of how much fewer, and
# at most so often.
COMMON, RARE_POWER, MOST_OFTEN = 0.05, 0.5, 12


def between(count: int, low: float, high: float, device: torch.device) -> torch.Tensor:
    return torch.rand(count, device=device) * (high - low) + low


class DeviceViews:
    """Makes views of photos by Torch's own generator, so that they follow from its seed."""

    def __init__(self, pack: Pack, device: str) -> None:
        self.device = torch.device(device)
        self.pixels = torch.from_numpy(pack.pixels).to(device)
        self.boxes = torch.from_numpy(pack.boxes).to(device)
        drawn = torch.from_numpy(pack.drawn).to(device)
        self.rows = [torch.nonzero(drawn == wanted).flatten() for wanted in (True, False)]
        weights = weighed(pack).to(device)
        self.shares = [torch.cumsum(weights[rows], 0) / weights[rows].sum() for rows in self.rows]
        self.whole = torch.tensor([0.0, 0, 1, 1], device=device)

    def chosen(self, count: int, drawn: bool) -> torch.Tensor:
        """The numbers of photos for so many views."""
        rows, shares = (parts[0 if drawn else 1] for parts in (self.rows, self.shares))
        return rows[torch.searchsorted(shares, torch.rand(count, device=self.device)).clamp(max=len(rows) - 1)]

    def batch(self, size: int, side: int) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Pixels [size, 3, side, side] in 0…255, objects [size, MOST, COLUMNS] in pixels of the view, padded with
        zeros; people drew the objects of the first views, as many as the number says.
        """
        unknown = round(size * UNKNOWN) if len(self.rows[1]) else 0
        pixels, objects = [], []
        for count, drawn in ((size - unknown, True), (unknown, False)):
            if not count:
                continue
            tiles = round(count * TILES)
            for make, views in ((self.single, count - tiles), (self.tiled, tiles)):
                if views:
                    part = make(views, side, drawn)
                    pixels.append(part[0])
                    objects.append(part[1])
        return recolored(torch.cat(pixels)), torch.cat(objects), size - unknown

    def single(self, count: int, side: int, drawn: bool) -> tuple[torch.Tensor, torch.Tensor]:
        photos = self.chosen(count, drawn)
        least = torch.where(torch.rand(count, device=self.device) < CROP / (1 - TILES), LEAST_OF_CROP, 1.0)
        return self.placed(photos, regions(least), self.whole.expand(count, 4), side)

    def tiled(self, count: int, side: int, drawn: bool) -> tuple[torch.Tensor, torch.Tensor]:
        photos = self.chosen(count * 4, drawn)
        x, y = (between(count, 0.35, 0.65, self.device) for _ in range(2))
        zero, one = torch.zeros_like(x), torch.ones_like(x)
        targets = torch.stack(
            [
                torch.stack([zero, zero, x, y], 1),
                torch.stack([x, zero, one, y], 1),
                torch.stack([zero, y, x, one], 1),
                torch.stack([x, y, one, one], 1),
            ],
            1,
        ).flatten(0, 1)
        targets = (targets * side).round() / side
        least = torch.full((count * 4,), LEAST_OF_TILE, device=self.device)
        pixels, objects = self.placed(photos, regions(least), targets, side, pooled=True)
        pixels = pixels.view(count, 4, 3, side, side).sum(1)
        objects = objects.view(count, -1, COLUMNS)
        order = objects[..., OBJECT].argsort(dim=1, descending=True, stable=True)[:, :MOST]
        return pixels, objects.gather(1, order[..., None].expand(-1, -1, COLUMNS))

    def placed(
        self, photos: torch.Tensor, parts: torch.Tensor, targets: torch.Tensor, side: int, pooled: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Parts of photos put in their targets of otherwise black views (both left, top, right, bottom in 0…1)."""
        count = len(photos)
        flip = torch.rand(count, device=self.device) < 0.5
        steps = (torch.arange(side, device=self.device) + 0.5) / side
        axes = []
        for axis in range(2):
            low, high = targets[:, axis, None], targets[:, axis + 2, None]
            share = (steps[None] - low) / (high - low)
            inside = (share >= 0) & (share <= 1)
            if axis == 0:
                share = torch.where(flip[:, None], 1 - share, share)
            place = parts[:, axis, None] + share * (parts[:, axis + 2] - parts[:, axis])[:, None]
            axes.append(torch.where(inside, place.clamp(0, 1) * 2 - 1, 9.0))
        x, y = axes
        grid = torch.stack([x[:, None].expand(-1, side, -1), y[:, :, None].expand(-1, -1, side)], -1)
        inside = ((x < 8)[:, None, :] & (y < 8)[:, :, None])[:, None]
        source = self.pixels[photos].float()
        if pooled:
            source = functional.avg_pool2d(source, 2)
        pixels = functional.grid_sample(source, grid, padding_mode="border", align_corners=False) * inside
        return pixels, self.seen(photos, parts, targets, flip, side)

    def seen(
        self, photos: torch.Tensor, parts: torch.Tensor, targets: torch.Tensor, flip: torch.Tensor, side: int
    ) -> torch.Tensor:
        """The objects of the photos as they lie in the views: rows [n, MOST, COLUMNS] in pixels, the best seen first.
        What a cut hides counts less.
        """
        boxes, kinds = self.boxes[photos, :, :4], self.boxes[photos, :, 4]
        corner, size = parts[:, None, :2], (parts[:, 2:] - parts[:, :2])[:, None]
        boxes = (boxes - corner.repeat(1, 1, 2)) / size.repeat(1, 1, 2)
        left = torch.where(flip[:, None], 1 - boxes[..., 2], boxes[..., 0])
        right = torch.where(flip[:, None], 1 - boxes[..., 0], boxes[..., 2])
        boxes = torch.stack([left, boxes[..., 1], right, boxes[..., 3]], -1)
        whole = (boxes[..., 2:] - boxes[..., :2]).clamp(min=1e-6).prod(-1)
        boxes = boxes.clamp(0, 1)
        share = (boxes[..., 2:] - boxes[..., :2]).prod(-1) / whole
        corner, size = targets[:, None, :2] * side, (targets[:, 2:] - targets[:, :2])[:, None] * side
        boxes = boxes * size.repeat(1, 1, 2) + corner.repeat(1, 1, 2)
        sure = ((share - HIDDEN) / (SEEN - HIDDEN)).clamp(0, 1)
        large = ((boxes[..., 2:] - boxes[..., :2]) >= LEAST_SIDE).all(-1)
        sure = torch.where(large & (kinds >= 0), sure, 0)
        rows = torch.zeros(*kinds.shape, COLUMNS, device=self.device)
        rows[..., BOX], rows[..., OBJECT], rows[..., CERTAIN], rows[..., KIND] = boxes, sure, sure, kinds.clamp(min=0)
        rows *= (sure > 0)[..., None]
        order = sure.argsort(dim=1, descending=True, stable=True)[:, :MOST]
        return rows.gather(1, order[..., None].expand(-1, -1, COLUMNS))


def regions(least: torch.Tensor) -> torch.Tensor:
    """Parts of photos (left, top, right, bottom in 0…1) that cover at least the share `least` of them."""
    share = least + (1 - least) * torch.rand_like(least)
    ratio = torch.exp((torch.rand_like(least) - 0.5) * (least < 1))
    width, height = (share * ratio).sqrt().clamp(max=1), (share / ratio).sqrt().clamp(max=1)
    left, top = torch.rand_like(least) * (1 - width), torch.rand_like(least) * (1 - height)
    return torch.stack([left, top, left + width, top + height], 1)


def recolored(pixels: torch.Tensor) -> torch.Tensor:
    """Brightness, contrast, gamma, tint and color by chance for each view; now and then gray, or blurred."""
    count, device = len(pixels), pixels.device
    if pixels.is_cuda:
        pixels = pixels.half()

    def each(low: float, high: float, often: float, still: float, columns: int = 1) -> torch.Tensor:
        value = torch.rand(count, columns, device=device) * (high - low) + low
        changed = torch.rand(count, 1, device=device) < often
        return torch.where(changed, value, still)[..., None, None].to(pixels.dtype)

    changed = torch.rand(count, device=device)[:, None, None, None] < 0.7
    gamma = torch.exp(each(-0.4, 0.4, 1, 0))
    gain, lift, tint = each(0.6, 1.4, 1, 1), each(-25, 25, 1, 0), each(0.88, 1.12, 1, 1, 3)
    other = (((pixels / 255).clamp(0, 1) ** gamma * 255 - 128) * gain * tint + 128 + lift).clamp(0, 255)
    pixels = torch.where(changed, other, pixels)
    gray = 0.299 * pixels[:, :1] + 0.587 * pixels[:, 1:2] + 0.114 * pixels[:, 2:]
    color = torch.where(torch.rand(count, 1, 1, 1, device=device) < 0.05, 0.0, each(0.3, 1.5, 0.2, 1)).to(pixels.dtype)
    pixels = (gray + (pixels - gray) * color).clamp(0, 255)
    blurred = torch.rand(count, device=device).topk(round(count * BLURRED)).indices
    soft = pixels[blurred]
    for _ in range(2):
        soft = functional.avg_pool2d(soft, 3, 1, 1, count_include_pad=False)
    return pixels.index_copy(0, blurred, soft)


def weighed(pack: Pack) -> torch.Tensor:
    """The weight with which each photo is shown, relative to others: the rarer its kinds, the more often."""
    kinds = len(coco.NAMES)
    has = torch.zeros(len(pack.boxes), kinds + 1)
    columns = torch.from_numpy(pack.boxes[..., 4]).long()
    has.scatter_(1, torch.where(columns < 0, kinds, columns), 1.0)
    has = has[:, :kinds]
    share = has[torch.from_numpy(pack.drawn)].mean(0)
    factors = ((COMMON / share.clamp(min=1e-4)) ** RARE_POWER).clamp(1, MOST_OFTEN)
    return 1 + (has * (factors - 1)).amax(1)


def normalized(pixels: torch.Tensor) -> torch.Tensor:
    """Pixels in 0…255 as the detector takes them, in -1…1."""
    return (pixels / 127.5 - 1).contiguous(memory_format=torch.channels_last)
