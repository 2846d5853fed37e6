"""last piece: find the load that leaves the tensor, and fix it

The kernel of invert.cu gives right results, and reads bytes past the end of its tensor. The check names the load. Fix it,
and leave the loads wide: at most 10 pixels of a row may go one by one.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, only_rows, seen, work_is_divided

MINUTES = 20
FAILS = "past the end"


def run(mine):
    launch = launchers(mine / "invert.cu").launch_invert

    def invert(crop):
        out = torch.empty(crop.shape, dtype=torch.uint8, device=device)
        after = crop.untyped_storage().nbytes() - crop.storage_offset()
        memory = crop.as_strided((max(after, 0),), (1,))  # crops of width 0 may begin past the end
        launch(out, memory, *crop.shape, crop.stride(0))
        return out

    def crops(left):
        """Two rows of n bytes, below another row and right of `left` columns: the last one ends where the memory does."""
        return lambda n: (torch.randint(0, 256, (3, left + n), dtype=torch.uint8, device=device)[1:, left:],)

    for left in range(4):
        name = f"image[1:, {left}:], width"
        check(
            invert,
            lambda crop: 255 - crop,
            crops(left),
            sizes=(0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 513),
            name=name,
            any_n=4 * (left == 0),
        )
    for width in range(1, 25):  # five rows of an image: they begin at all addresses modulo 4
        crop = torch.empty(5, width + 33 - width % 4, dtype=torch.uint8, device=device)[:, 16 : 16 + width]
        with only_rows(crop):
            invert(crop)
    # A grid has 65535 blocks along y.
    tall = torch.randint(0, 256, (70_000, 6), dtype=torch.uint8, device=device)[:, 1:]
    if wrong := (invert(tall) != 255 - tall).any(1).sum():
        raise Wrong(f"{len(tall)} rows of 5 pixels: {wrong} rows are wrong")
    for left, width in (*((left, 2048) for left in range(4)), (0, 2047), (1, 2046), (3, 600)):
        (crop,) = crops(left)(width)
        rows = seen(lambda crop=crop: invert(crop))
        alone = max(
            sum(row.threads for row in rows if row.kind == kind and row.width == 1) for kind in ("load", "store")
        )
        if alone > 10 * len(crop):
            raise Wrong(
                f"image[1:, {left}:], width = {width}: {alone} of {crop.numel()} pixels go pixel by pixel; "
                "expected: at most 10 a row"
            )
    (crop,) = crops(1)(2048)
    work_is_divided(lambda: invert(crop), crop.numel(), itemsize=1, warps=8)
    for height, width in (1, 2**32 + 13), (4097, 2**20):
        memory, out = many(height * width, torch.uint8), many(height * width, torch.uint8)
        if out is not None:
            memory[:1000], memory[-1] = 5, 3  # an index of 32 bits leads to the first of these
            where = f"{'one row' if height == 1 else f'{height} rows'}, width = {width}"
            last_element(launch, out, memory, height, width, width, expected=252, where=where, threads=out.numel() // 4)
    if rows:
        print(f"{'right':8}no byte beside a row is read, and at most 10 pixels of a row go pixel by pixel")
