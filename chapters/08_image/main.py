"""Chapter 08, image: wide loads of bytes at any address

python chapters/08_image/main.py                        build, check, time
python chapters/08_image/main.py --batch                many 1080p images in one call: images a second
python chapters/08_image/main.py --pictures [FOLDER]    read a picture and a volume, write them before and after
python chapters/08_image/main.py --uint16               what torch can and cannot do with uint16
"""

import argparse
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(here / "notes"), str(root)]  # so that neighbours and `common` are found from anywhere

from common import Contest, bench, check, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

# Height x width, and Z x Y x X. benchmark() measures all of them, main() the first of each.
IMAGES = [(2160, 3840), (16384, 16384)] if device.type == "cuda" else [(480, 640)]
VOLUMES = [(64, 512, 512), (512, 1024, 1024)] if device.type == "cuda" else [(16, 128, 128)]


def build():
    return load(
        name="custom_image_ops",
        sources=[str(here / "image.cpp"), str(here / "image.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
    )


def gray_torch(img):
    """rgb_to_gray in torch's operations: exact, because it adds integers."""
    r, g, b = img.int().unbind(-1)
    return torch.div(299 * r + 587 * g + 114 * b + 500, 1000, rounding_mode="trunc").to(torch.uint8)


def volume_torch(volume, maxVal):
    """normalize_volume as one writes it in torch. On a GPU torch multiplies by 1 / maxVal, so the last bit may be wrong."""
    return volume.float() / maxVal


def volume_reference(volume, maxVal):
    """The quotient in float64, rounded once more: the float32 nearest to the truth, if maxVal is a float32.

    maxVal is a tensor here, because torch divides by a number as above."""
    return (volume.double() / torch.tensor(maxVal, dtype=torch.float64, device=volume.device)).float()


def some_images(*shape):
    return torch.randint(0, 256, (*shape, 3), dtype=torch.uint8, device=device)


def some_volume(*shape):
    return torch.randint(-(2**15), 2**15, shape, dtype=torch.int16, device=device).view(torch.uint16)


def crops(n):
    """Two images of 3 x n, cut out of larger ones: rows and images lie apart, and the last row ends where its memory ends."""
    return (some_images(2, 4, n + 2)[:, 1:, 2:],)


def inputs(n, name="rgb_to_gray", shape=None, maxVal=65535.0):
    """An image or a volume of that shape, or without a shape of three rows of n."""
    if name == "rgb_to_gray":
        return (some_images(*(shape or (3, n))),)
    return some_volume(*(shape or (1, 3, n))), maxVal


def operators(module, name="rgb_to_gray"):
    in_torch = {"rgb_to_gray": gray_torch, "normalize_volume": volume_torch}[name]
    ops = {name: getattr(module, name), f"{name}_naive": getattr(module, f"{name}_naive"), "torch": in_torch}
    if device.type == "cuda":  # dynamic=False gives code for exactly this size, the best that it can do
        ops["torch.compile"] = torch.compile(in_torch, dynamic=False)
    return ops


def bench_both(module, images, volumes):
    """{table: rows} for images and volumes of these shapes. flops: integer operations of a pixel, or a voxel's division."""
    shapes = {torch.Size(shape).numel(): shape for shape in images + volumes}  # bench() asks for n pixels or voxels
    pixels, voxels = ([torch.Size(shape).numel() for shape in some] for some in (images, volumes))
    near = {"rtol": 0, "atol": 1}  # the naive grey is 1 too dark for half of all colours
    volume = "normalize_volume"
    return {
        "gray": bench(operators(module), lambda n: inputs(n, shape=shapes[n]), pixels, flops=7, **near),
        "volume": bench(operators(module, volume), lambda n: inputs(n, volume, shapes[n]), voxels, flops=1),
    }


def benchmark(module):
    """For `make bench08`: {table: rows}."""
    import batch

    return bench_both(module, IMAGES, VOLUMES) | {"batch": batch.main(module, gray_torch)}


def sweep():
    """For `make sweep`: {operator: Contest}. A pixel has 3 bytes and becomes 1, a voxel has 2 and becomes 4."""

    def image(rows, columns, dtype):
        return inputs(columns, shape=(rows, columns))

    def volume(rows, columns, dtype):
        return inputs(columns, "normalize_volume", (1, rows, columns))

    def one_bit(dtype):  # torch's own quotient may be wrong by as much
        return torch.finfo(torch.float32).eps

    return {
        "rgb_to_gray": Contest(gray_torch, image, 4, (torch.uint8,)),
        "normalize_volume": Contest(volume_torch, volume, 3, (torch.uint16,), tolerance=one_bit),
    }


def launch_each_kernel(module):
    """For `make microscope08`: each kernel, once."""
    for name, shape in ("rgb_to_gray", (128, 512)), ("normalize_volume", (1, 128, 512)):
        for op in operators(module, name).values():
            op(*inputs(2**16, name, shape))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--batch", action="store_true", help="see batch.py")
    options.add_argument("--pictures", nargs="?", const="build/pictures", metavar="FOLDER", help="see notes/photos.py")
    options.add_argument("--uint16", action="store_true", help="see notes/uint16.py")
    options = options.parse_args()

    title(8, "image", "load()")
    if options.uint16:
        import uint16

        return uint16.main()
    module = build()
    if options.pictures:
        import photos

        return photos.main(module, options.pictures)
    if options.batch:
        import batch

        return batch.main(module, gray_torch)

    check(module.rgb_to_gray, gray_torch, inputs, rtol=0, atol=0)
    check(module.rgb_to_gray, gray_torch, crops, rtol=0, atol=0, name="rgb_to_gray, crops")
    voxels = partial(inputs, name="normalize_volume", maxVal=4095.0)
    check(module.normalize_volume, volume_reference, voxels, rtol=0, atol=0)

    bench_both(module, IMAGES[:1], VOLUMES[:1])


if __name__ == "__main__":
    main()
