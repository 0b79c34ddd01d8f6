"""Make the digits of `reference/data/` from the set that scikit-learn ships.

Needs scikit-learn and is run once, by a maintainer: `python benchmarks/make_digits.py [FOLDER]`. The 8x8
images (0..16) of the UCI set "Optical Recognition of Handwritten Digits" are drawn again at 28x28 in MNIST's
format. The files hold no time stamp, so that the same libraries write the same bytes.
"""

import gzip
import struct
import sys
from pathlib import Path

import numpy as np

SIDE = 28
MARGIN = 4  # pixels around the digit, as in MNIST
LEVELS = 16  # grey levels above black that are kept: fewer compress better
TEST_SHARE = 0.2
SEED = 0
FOLDER = Path(__file__).resolve().parent.parent / "reference" / "data"


def interpolation(source: int, target: int) -> np.ndarray:
    """Matrix `(target, source)` that resamples a line of pixels linearly; pixel centres stay in place."""
    positions = np.clip((np.arange(target) + 0.5) * source / target - 0.5, 0, source - 1)
    return np.maximum(0.0, 1.0 - np.abs(positions[:, None] - np.arange(source)[None, :]))


def upscale(images: np.ndarray) -> np.ndarray:
    """Images `(count, 8, 8)` with values 0..16 as uint8 `(count, 28, 28)` with values 0..255."""
    matrix = interpolation(images.shape[1], SIDE - 2 * MARGIN)
    smooth = matrix @ images @ matrix.T
    # one scale for the whole set, never per image
    levels = np.rint(smooth / 16 * LEVELS)
    pixels = np.rint(levels * 255 / LEVELS).astype(np.uint8)
    return np.pad(pixels, ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN)))


def write_idx(path: Path, array: np.ndarray) -> None:
    """Write a uint8 array as a gzipped IDX file, big-endian header first, without name or time stamp."""
    magic = 0x0800 + array.ndim
    header = struct.pack(f">{1 + array.ndim}I", magic, *array.shape)
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(header + array.tobytes())


def main(folder: Path = FOLDER) -> None:
    """Write the four files into `folder`."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images, labels = upscale(digits.images), digits.target.astype(np.uint8)
    order = np.random.RandomState(SEED).permutation(len(labels))
    test_count = round(TEST_SHARE * len(labels))
    folder.mkdir(parents=True, exist_ok=True)
    for name, chosen in (("train", order[test_count:]), ("t10k", order[:test_count])):
        write_idx(folder / f"{name}-images-idx3-ubyte.gz", images[chosen])
        write_idx(folder / f"{name}-labels-idx1-ubyte.gz", labels[chosen])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
