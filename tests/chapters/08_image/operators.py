"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from math import inf, nan

import numpy
import torch

from tests.chapters.opinfo import Operator, Scalar


def in_parts(function):  # in steps that are small enough for a GPU's memory
    def of_image(img, **scalars):
        parts = [function(*part.unbind(-1), **scalars) for part in img.flatten(0, -2).split(2**26)]
        return torch.cat(parts).to(torch.uint8).view(img.shape[:-1])

    return of_image


@in_parts
def gray(r, g, b, bgr):  # in integers
    r, b = (b, r) if bgr else (r, b)
    return (299 * r.int() + 587 * g.int() + 114 * b.int() + 500) // 1000


@in_parts
def gray_naive(r, g, b):
    def fma(a, x, c):  # product and sum are exact in float64; then one rounding
        return (a.double() * x.double() + c.double()).float()

    weights = torch.tensor([0.299, 0.587, 0.114], device=r.device)
    return fma(weights[2], b, fma(weights[1], g, weights[0] * r.float()))


def quotient(volume, maxVal):  # by a tensor: on a GPU, torch divides by a number as 1 / 1000 times, and is off by a bit
    return (volume.double() / torch.tensor(float(numpy.float32(maxVal)), device=volume.device).double()).float()


BGR = Scalar("bool", False, (True, numpy.True_), (), "True or False")
MAX_VAL = Scalar("float", 1000.0, (65535, 1, 0.1, 1e-42, 3e38, True, numpy.float32(7), torch.tensor(0.3)),
                 (0, -0.0, -1, nan, inf, -inf, 1e39, 1e-50), "positive and finite as float32")  # fmt: skip
IMAGE = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint8,), "ranks": (3, 4), "last": 3, "crops": True}
VOLUME = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint16,), "ranks": (3,), "scalars": {"maxVal": MAX_VAL}}

OPERATORS = [
    Operator("rgb_to_gray", ("img",), gray, **IMAGE, scalars={"bgr": BGR}),
    Operator("rgb_to_gray_naive", ("img",), gray_naive, **IMAGE),
    Operator("normalize_volume", ("volume",), quotient, **VOLUME),
    Operator("normalize_volume_naive", ("volume",), quotient, **VOLUME),
]  # fmt: skip
