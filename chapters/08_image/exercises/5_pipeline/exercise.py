"""pipeline: flip, split and normalise a crop in one kernel

Flip a crop, make planes of floats of it and normalise them, in one kernel instead of torch's three or four: an hour, and four
chapters. prepare.h says what the launcher does; begin with a thread for a pixel. At the end, the check counts loads and
stores for 32 pixels: at most 2.5.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, only_rows, seen, work_is_divided
from grader.launchers import refuse_launch

MINUTES = 60
FAILS = "undefined reference to `launch_prepare"
MEANS, SCALES = (128.0, 96.0), (0.0625, 0.25)  # without flip, with flip


def image(*shape):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


def run(mine):
    launch = launchers(mine / "prepare.cu").launch_prepare

    def prepare(img, flip, mean=128.0, scale=0.0625):
        height, width, _ = img.shape
        out = torch.empty(3, height, width, device=device)
        after = img.untyped_storage().nbytes() - img.storage_offset()
        memory = img.as_strided((max(after, 0),), (1,))  # crops of width 0 may begin past the end
        launch(out, memory, height, width, img.stride(0), flip, mean, scale)
        return out

    def reference(img, flip, mean=128.0, scale=0.0625):
        flipped = img.flip(1) if flip else img
        return (flipped.permute(2, 0, 1).float() - mean) * scale

    def crops(left, *numbers):
        """Two rows of n pixels, the last of which ends where the memory does."""
        return lambda n: (image(3, left + n, 3)[1:, left:], *numbers)

    for flip in False, True:
        for left in range(4):
            name = f"img[1:, {left}:], flip = {flip}, width"
            any_n = 3 * 4 if left == 0 else None  # a thread may have four pixels, of three planes
            inputs = crops(left, flip, MEANS[flip], SCALES[flip])
            check(prepare, reference, inputs, sizes=(0, 4, 8, 132), name=name, any_n=any_n)
    for flip, mean, scale in (False, 123.675, 0.017), (True, -7.5, 0.017):  # no whole numbers, not as above
        name = f"flip = {flip}, mean = {mean}, scale = {scale}, width"
        check(prepare, reference, crops(1, flip, mean, scale), sizes=(8, 132), name=name)
    check(prepare, reference, lambda n: (image(n, 8, 3), False), sizes=(0, 1, 3), name="width = 8, height")
    for width in range(4, 25, 4):  # five rows of an image: they begin at all addresses modulo 4
        for flip in False, True:
            crop = image(5, 3 * width + 35)[:, 16 : 16 + 3 * width]
            pixels = crop.unflatten(1, (width, 3))
            with only_rows(crop):
                found = prepare(pixels, flip)
            if not torch.equal(found, reference(pixels, flip)):
                raise Wrong(f"a crop of 5 x {width} pixels, flip = {flip}, row_stride = {crop.stride(0)}: wrong result")
    many_rows(prepare, reference)
    for left, width in (1, 2048), (2, 2048), (1, 2052):
        crop, flip = crops(left, left == 2)(width)
        rows = seen(lambda crop=crop, flip=flip: prepare(crop, flip))
        each = sum(row.requests for row in rows) / (crop.shape[0] * crop.shape[1] / 32)
        if each > 2.5:
            raise Wrong(
                f"img[1:, {left}:], width = {width}: a warp executes {each:.3g} loads and stores for 32 pixels; "
                "expected: at most 2.5"
            )
    if refuse_launch(2, lambda: prepare(crop, False)):
        raise Wrong("launch_prepare launches more than one kernel, expected: one")
    img = image(8, 2048, 3)
    work_is_divided(lambda: prepare(img, False), img.numel(), warps=32)
    for height, width in (1, 2**32 + 8), (2, 2**32 + 8), (4097, 2**20):
        img, out = many(3 * height * width, torch.uint8), many(3 * height * width)
        if out is not None:
            img[:1000], img[-1] = 200, 130  # an index of 32 bits leads to the first of these
            numbers, where = (height, width, 3 * width, False, 128, 0.5), f"width = {width}"
            where = f"{height} rows, " * (height > 1) + where
            last_element(launch, out, img, *numbers, expected=1, where=where, threads=height * width // 4)
    if rows:
        print(f"{'right':8}no byte beside a row is read, and at most 2.5 loads and stores for 32 pixels")


def many_rows(prepare, reference):
    """More than a grid has blocks along y. One order of the threads: half a second."""
    img = image(70_000, 4, 3)
    where = f"height = {len(img)}, width = 4"
    try:
        found = prepare(img, False)
    except RuntimeError as error:
        raise Wrong(f"{where}: {error}") from None
    wrong = (found != reference(img, False)).any(2).any(0)
    if wrong.any():
        raise Wrong(f"{where}: {int(wrong.sum())} rows are wrong, the first of them row {int(wrong.nonzero()[0])}")
    print(f"{'right':8}{where}")
