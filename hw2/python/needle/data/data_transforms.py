"""Random changes of images, drawn from numpy's global generator."""

import numpy as np


class Transform:
    """A function from image to image; images are `(height, width, channels)`."""

    def __call__(self, x):
        raise NotImplementedError()


class RandomFlipHorizontal(Transform):
    """Mirrors an image left to right with probability `p`."""

    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, img):
        """`img` `(height, width, channels)`; returns the same shape. The draw is given."""
        flip_img = np.random.rand() < self.p
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class RandomCrop(Transform):
    """Moves an image by up to `padding` pixels along both axes, and fills what comes in with zeros."""

    def __init__(self, padding=3):
        self.padding = padding

    def __call__(self, img):
        """`img` `(height, width, channels)`; returns the same shape.

        The image is padded with zeros on its four sides, and cropped back `shift_x` rows and `shift_y`
        columns away from its centre. The draws are given.
        """
        shift_x, shift_y = np.random.randint(low=-self.padding, high=self.padding + 1, size=2)
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION
