"""Images a second: many images of 1920 x 1080 in one call of our operator, torch, torchvision or OpenCV.

Started by `python chapters/08_image/main.py --batch`. OpenCV and torchvision are timed if they are installed.
"""

import importlib.util
import statistics
import time

import torch

from common import device
from common.timing import measure

COUNT = 64 if device.type == "cuda" else 2


def host_time(func):
    """Seconds of a call by the host's clock, including the GPU's work: the median of 10."""
    samples = []
    for _ in range(11):
        start = time.perf_counter()
        func()
        if device.type == "cuda":
            torch.cuda.synchronize()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples[1:])  # the first one warms up


def opencv(images):
    import cv2

    arrays = images.numpy()
    return host_time(lambda: [cv2.cvtColor(array, cv2.COLOR_RGB2GRAY) for array in arrays])


def main(module, gray_torch) -> list[dict]:
    """Prints the table and returns its rows: op, images, and seconds for all of them."""
    images = torch.randint(0, 256, (COUNT, 1080, 1920, 3), dtype=torch.uint8)
    on_device = images.to(device)
    ops = {
        "rgb_to_gray": module.rgb_to_gray,
        "rgb_to_gray_naive": module.rgb_to_gray_naive,
        "rgb_to_gray, a call an image": lambda batch: [module.rgb_to_gray(image) for image in batch],
        "torch": gray_torch,
    }
    if device.type == "cuda":
        ops["torch.compile"] = torch.compile(gray_torch, dynamic=False)
    if importlib.util.find_spec("torchvision"):
        from torchvision.transforms.functional import rgb_to_grayscale

        # It takes the channels first, and accepts a view. It cuts the fraction off, as the naive kernel does.
        ops["torchvision"] = lambda batch: rgb_to_grayscale(batch.movedim(-1, -3))
    seconds = {name: measure(name, COUNT, op, (on_device,)).kernel for name, op in ops.items()}
    if device.type == "cuda":  # the GPU fetches pinned memory by itself, at the speed of the bus
        pinned, result = images.pin_memory(), torch.empty(images.shape[:-1], dtype=torch.uint8, pin_memory=True)
        seconds["rgb_to_gray, from and to the host"] = host_time(
            lambda: result.copy_(module.rgb_to_gray(pinned.to(device, non_blocking=True)), non_blocking=True)
        )
    if importlib.util.find_spec("cv2"):
        seconds["OpenCV on the CPU"] = opencv(images)

    print(f"{'time':8}{f'{COUNT} images of 1920 x 1080':<36}{'a batch':>10}{'images/s':>12}")
    for name, t in seconds.items():
        print(f"{'':8}{name:<36}{t * 1e3:>7.2f} ms{COUNT / t:>12.0f}")
    for package, name in ("cv2", "opencv-python-headless"), ("torchvision", "torchvision"):
        if not importlib.util.find_spec(package):
            print(f"{'':8}{name} is not installed: no row for it")
    if device.type == "cpu":
        print(f"{'':8}CPU times: they say nothing about a GPU.")
    return [{"op": name, "images": COUNT, "seconds": t} for name, t in seconds.items()]
