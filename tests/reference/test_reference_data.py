"""Transforms, datasets, the loader, and the digits that come with the reference."""

import gzip
import struct

import numpy as np
import pytest

FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")


@pytest.fixture
def idx_files(tmp_path, rng):
    """Five random images and labels as gzipped IDX files: their paths, and the arrays."""
    pixels = rng.integers(0, 200, (5, 28, 28), dtype=np.uint8)
    pixels[0, 0, :2] = 0, 255
    labels = np.array([3, 1, 4, 1, 5], dtype=np.uint8)
    paths = tmp_path / "images.gz", tmp_path / "labels.gz"
    with gzip.open(paths[0], "wb") as file:
        file.write(struct.pack(">4I", 2051, 5, 28, 28) + pixels.tobytes())
    with gzip.open(paths[1], "wb") as file:
        file.write(struct.pack(">2I", 2049, 5) + labels.tobytes())
    return *map(str, paths), pixels, labels


def test_parse_mnist(hw0, hw1, idx_files):
    """Both homeworks read the same arrays, scaled by 255 over the whole set."""
    images, labels, pixels, expected = idx_files
    for module in (hw0, hw1):
        X, y = module.parse_mnist(images, labels)

        assert (X.dtype, y.dtype) == (np.float32, np.uint8)
        np.testing.assert_allclose(X, pixels.reshape(5, 784) / 255, rtol=1e-7)
        np.testing.assert_array_equal(y, expected)


def test_mnist_dataset(ndl, idx_files):
    """An int gives one image, slices and arrays give several; the transforms see each image."""
    images, labels, pixels, expected = idx_files
    seen = []

    def transform(image):
        seen.append(image.shape)
        return image + np.float32(1)

    dataset = ndl.data.MNISTDataset(images, labels, transforms=[transform])
    assert len(dataset) == 5
    for index in (2, slice(1, 4), np.array([4, 0]), np.int64(1)):
        image, label = dataset[index]

        np.testing.assert_allclose(image, pixels[index][..., None] / 255 + 1, rtol=1e-6)
        np.testing.assert_array_equal(label, expected[index])
        assert image.dtype == np.float32
    assert set(seen) == {(28, 28, 1)}
    assert len(seen) == 1 + 3 + 2 + 1


def test_flip(ndl, seeded):
    """p = 1 mirrors the columns, p = 0 nothing, p = 0.25 a quarter of the images."""
    image = np.arange(12.0).reshape(2, 3, 2)
    flips = [ndl.data.RandomFlipHorizontal(0.25)(image)[0, 0, 0] != 0 for _ in range(2000)]

    np.testing.assert_array_equal(ndl.data.RandomFlipHorizontal(1)(image), image[:, ::-1])
    np.testing.assert_array_equal(ndl.data.RandomFlipHorizontal(0)(image), image)
    assert abs(np.mean(flips) - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 2000)


def test_crop(ndl):
    """Every pixel comes from its place moved by the drawn shifts, or from outside, as zero."""
    image = np.arange(1.0, 41).reshape(5, 4, 2)
    for seed in range(20):
        np.random.seed(seed)
        out = ndl.data.RandomCrop(2)(image)
        np.random.seed(seed)
        rows, columns = np.random.randint(low=-2, high=3, size=2)

        assert out.shape == image.shape
        for i in range(5):
            for j in range(4):
                inside = 0 <= i + rows < 5 and 0 <= j + columns < 4
                expected = image[i + rows, j + columns] if inside else np.zeros(2)
                np.testing.assert_array_equal(out[i, j], expected)


def test_crop_without_padding(ndl):
    """Padding 0 leaves nothing to draw."""
    image = np.ones((3, 3, 1))

    np.testing.assert_array_equal(ndl.data.RandomCrop(0)(image), image)


def test_loader_in_order(ndl):
    """Batches are tuples of Tensors, in order, the last one short, and every pass is the same."""
    X, y = np.arange(14.0, dtype=np.float32).reshape(7, 2), np.arange(7, dtype=np.uint8)
    loader = ndl.data.DataLoader(ndl.data.NDArrayDataset(X, y), batch_size=3)
    for _ in range(2):
        batches = list(loader)

        assert [type(batch) for batch in batches] == [tuple] * 3
        assert [batch[1].numpy().tolist() for batch in batches] == [[0, 1, 2], [3, 4, 5], [6]]
        np.testing.assert_array_equal(np.concatenate([batch[0].numpy() for batch in batches]), X)
        assert (batches[0][0].dtype, batches[0][1].dtype) == (np.float32, np.uint8)


def test_loader_shuffles_afresh(ndl, seeded):
    """Every pass is a new permutation, also after one that was left early or runs at the same time."""
    loader = ndl.data.DataLoader(ndl.data.NDArrayDataset(np.arange(50)), batch_size=8, shuffle=True)
    early = iter(loader)
    next(early)
    orders = [np.concatenate([batch[0].numpy() for batch in loader]).tolist() for _ in range(3)]

    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    assert len(list(early)) == 6


def test_digits(hw0, ndl, root):
    """1,797 images with the full range of bytes, ten classes in both parts, small files."""
    counts = []
    for part in ("train", "t10k"):
        paths = [root / "data" / name.replace("train", part) for name in FILES]
        X, y = hw0.parse_mnist(*paths)
        counts.append(len(y))

        assert (X.min(), X.max(), X.shape[1]) == (0, 1, 784)
        assert np.unique(y).tolist() == list(range(10))
        assert len(ndl.data.MNISTDataset(*map(str, paths))) == len(y) == len(X)
    assert counts == [1438, 359]
    assert sum(path.stat().st_size for path in (root / "data").iterdir()) < 600_000


def test_digits_hold_no_time_stamp(root):
    """The gzip headers carry neither a time nor a name, so that the files can be made again byte for byte."""
    for path in (root / "data").glob("*.gz"):
        flags_and_time = path.read_bytes()[3:8]

        assert flags_and_time == bytes(5)
