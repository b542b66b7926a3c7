"""Small data folders for the tests."""

import json

import numpy as np
from PIL import Image


def picture(path, size=(64, 48), seed=0):
    """A JPEG file of colored blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), np.uint8)
    Image.fromarray(blocks).resize(size, Image.Resampling.NEAREST).save(path, quality=90)
    return path


def annotations(folder, boxes, name="a.jpg", size=(64, 48), **more):
    """A COCO-style folder with one picture."""
    picture(folder / "images" / name, size)
    table = {
        "images": [
            {
                "id": 1,
                "file_name": name,
                "width": size[0],
                "height": size[1],
                "split": "train",
                "source": "books",
                **more,
            }
        ],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": box} for box in boxes],
        "categories": [{"id": 1, "name": "thing"}],
    }
    (folder / "annotations.json").write_text(json.dumps(table), encoding="utf-8")
    return folder
