"""pipeline: flip, split and normalise a crop in one kernel

An hour, and four chapters: flip a crop, make planes of floats of it and normalise them, in one kernel instead of torch's
three or four. prepare.h says what the launcher does. Begin with a thread for a pixel. At the end, the check counts loads and
stores for 32 pixels: at most 2.5.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, only_rows, seen

MINUTES = 60
FAILS = "undefined reference to `launch_prepare"
MEANS, SCALES = (128.0, 96.0), (0.0625, 0.25)  # without flip, with flip


def run(mine):
    launch = launchers(mine / "prepare.cu").launch_prepare

    def prepare(img, flip):
        height, width, _ = img.shape
        out = torch.empty(3, height, width, device=device)
        after = img.untyped_storage().nbytes() - img.storage_offset()
        memory = img.as_strided((max(after, 0),), (1,))  # crops of width 0 may begin past the end
        launch(out, memory, height, width, img.stride(0), flip, MEANS[flip], SCALES[flip])
        return out

    def reference(img, flip):
        flipped = img.flip(1) if flip else img
        return (flipped.permute(2, 0, 1).float() - MEANS[flip]) * SCALES[flip]

    def crops(left, flip):
        """Two rows of n pixels, the last of which ends where the memory does."""
        return lambda n: (torch.randint(0, 256, (3, left + n, 3), dtype=torch.uint8, device=device)[1:, left:], flip)

    for flip in False, True:
        for left in range(4):
            name = f"img[1:, {left}:], flip = {flip}, width"
            any_n = 3 * 4 if left == 0 else None  # a thread may have four pixels, of three planes
            check(prepare, reference, crops(left, flip), sizes=(0, 4, 8, 132), name=name, any_n=any_n)
    for width in range(4, 25, 4):  # five rows of an image: they begin at all addresses modulo 4
        for flip in False, True:
            image = torch.randint(0, 256, (5, 3 * width + 35), dtype=torch.uint8, device=device)
            crop = image[:, 16 : 16 + 3 * width]
            pixels = crop.unflatten(1, (width, 3))
            with only_rows(crop):
                found = prepare(pixels, flip)
            if not torch.equal(found, reference(pixels, flip)):
                raise Wrong(f"a crop of 5 x {width} pixels, flip = {flip}, row_stride = {crop.stride(0)}: wrong result")
    many_rows(prepare, reference)
    for left in 1, 2:
        crop, flip = crops(left, left == 2)(2048)
        rows = seen(lambda crop=crop, flip=flip: prepare(crop, flip))
        each = sum(row.requests for row in rows) / (crop.shape[0] * crop.shape[1] / 32)
        if each > 2.5:
            raise Wrong(
                f"img[1:, {left}:], width = 2048: a warp executes {each:.3g} loads and stores for 32 pixels; "
                "expected: at most 2.5"
            )
    width = 2**32 + 8
    img, out = many(3 * width, torch.uint8), many(3 * width)
    last_element(
        launch,
        out,
        img,
        1,
        width,
        3 * width,
        False,
        128,
        0.5,
        expected=-64,
        where=f"width = {width}",
        threads=width // 4,
    )
    if rows:
        print(f"{'right':8}no byte beside a row is read, and at most 2.5 loads and stores for 32 pixels")


def many_rows(prepare, reference):
    """More than a grid has blocks along y. One order of the threads: half a second."""
    image = torch.randint(0, 256, (70_000, 4, 3), dtype=torch.uint8, device=device)
    where = f"height = {len(image)}, width = 4"
    try:
        found = prepare(image, False)
    except RuntimeError as error:
        raise Wrong(f"{where}: {error}") from None
    wrong = (found != reference(image, False)).any(2).any(0)
    if wrong.any():
        raise Wrong(f"{where}: {int(wrong.sum())} rows are wrong, the first of them row {int(wrong.nonzero()[0])}")
    print(f"{'right':8}{where}")
