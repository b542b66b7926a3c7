"""Makes the pictures that the benchmarks read, out of the real data, in a folder outside the repository.

    python3 pictures.py [--data FOLDER] CACHE_FOLDER

* `1080p.jpg`: the photo images/cat_1080p.jpg as it is.
* `12mp.jpg`: the same scene at 4080 × 3072, baseline, quality 90, 4:2:0, as a phone would save it. The photo is
  enlarged, and noise of a camera's strength is laid over it: an enlarged photo alone would be smoother, and so
  cheaper to decode, than a real one.
* `12mp_progressive.jpg`: the same coefficients, saved as progressive.
* `many/000.jpg` …: 200 pictures of about 1 megapixel, for throughput.
"""

import argparse
import os
import pathlib
import shutil

import numpy
from PIL import Image


def data_folder(argument: str | None) -> pathlib.Path:
    """The real data: the argument, SIGHTLINE_TEST_DATA, or ../../shared/data beside the checkout."""
    default = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"
    return pathlib.Path(argument or os.environ.get("SIGHTLINE_TEST_DATA") or default)


def large_photo(source: Image.Image) -> Image.Image:
    """The scene at 4080 × 3072 with noise of standard deviation 4, the same at every run."""
    width, height = 4080, 3072
    scale = max(width / source.width, height / source.height)
    enlarged = source.resize((round(source.width * scale), round(source.height * scale)), Image.Resampling.BICUBIC)
    pixels = numpy.asarray(enlarged.crop((0, 0, width, height))).astype(numpy.float32)
    noise = numpy.random.default_rng(1).normal(0, 4, (height, width, 1)).astype(numpy.float32)
    return Image.fromarray(numpy.clip(pixels + noise, 0, 255).astype(numpy.uint8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="the folder of real data")
    parser.add_argument("cache", type=pathlib.Path)
    options = parser.parse_args()
    photos = data_folder(options.data) / "images"
    many = options.cache / "many"
    many.mkdir(parents=True, exist_ok=True)

    shutil.copyfile(photos / "cat_1080p.jpg", options.cache / "1080p.jpg")
    cat = Image.open(photos / "cat_1080p.jpg").convert("RGB")
    large = large_photo(cat)
    large.save(options.cache / "12mp.jpg", quality=90, subsampling="4:2:0")
    large.save(options.cache / "12mp_progressive.jpg", quality=90, subsampling="4:2:0", progressive=True)

    sources = [cat, *(Image.open(photos / name).convert("RGB") for name in ("owl.jpg", "cats_and_dogs.jpg"))]
    for index in range(200):
        source = sources[index % len(sources)]
        source.resize((1152 + index % 7 * 16, 864), Image.Resampling.BICUBIC).save(
            many / f"{index:03}.jpg", quality=85 + index % 10
        )
    for name in ("1080p.jpg", "12mp.jpg", "12mp_progressive.jpg"):
        path = options.cache / name
        with Image.open(path) as picture:
            print(f"{path}: {picture.width}×{picture.height}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
