"""The operators on pictures: read with OpenCV, computed, and written back, as in the notes.

Started by `python chapters/08_image/main.py --pictures [FOLDER]`. The picture and the volume are made here, from a
seed: nothing is downloaded.
"""

import sys
from pathlib import Path

import numpy as np
import torch

from common import device

try:
    import cv2
except ImportError:
    cv2 = None

MAX_VAL = 4095.0  # a scanner of 12 bits


def photo(height=240, width=360):
    """uint8, height x width x 3, red first: sky, sun, hills, a house, a rainbow, and a camera's noise."""
    random = np.random.default_rng(8)
    y, x = np.mgrid[0:height, 0:width] / height
    img = np.stack([90 + 120 * y, 150 + 60 * y, 235 - 60 * y], -1)  # the sky
    angle = np.hypot(x - 0.75, y - 1.0)
    for k, color in enumerate([(148, 0, 211), (0, 0, 255), (0, 200, 0), (255, 255, 0), (255, 127, 0), (255, 0, 0)]):
        img[np.abs(angle - 0.62 - 0.03 * k) < 0.015] = color
    img[np.hypot(x - 0.25, y - 0.22) < 0.1] = (255, 235, 60)
    img[y > 0.62 + 0.08 * np.sin(4 * x)] = (70, 130, 50)
    img[y > 0.78 + 0.05 * np.cos(6 * x)] = (40, 95, 35)
    img[(np.abs(x - 1.05) < 0.15) & (np.abs(y - 0.7) < 0.12)] = (200, 50, 40)
    img[(np.abs(x - 1.05) < 0.03) & (np.abs(y - 0.75) < 0.07)] = (60, 40, 120)
    return np.clip(img + random.normal(0, 3, img.shape), 0, 255).astype(np.uint8)


def scan(depth=48, side=120):
    """uint16, Z x Y x X, values of 12 bits: a skull of sorts, as a scanner would show it."""
    random = np.random.default_rng(8)
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in (depth, side, side)), indexing="ij")
    radius = np.sqrt(z**2 + (y / 0.9) ** 2 + (x / 0.75) ** 2)
    values = np.where(radius < 0.9, 1200, 80) + np.where(np.abs(radius - 0.85) < 0.06, 2600, 0)
    for center in -0.25, 0.25:
        values = np.where((x - center) ** 2 + (y + 0.1) ** 2 + z**2 < 0.03, 300, values)
    return np.clip(values + random.normal(0, 60, values.shape), 0, MAX_VAL).astype(np.uint16)


def main(module, folder):
    if cv2 is None:
        sys.exit(f"OpenCV reads and writes the pictures:\n    {sys.executable} -m pip install opencv-python-headless")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, picture):
        cv2.imwrite(str(folder / name), picture)
        print(f"{'picture':8}{folder / name}")

    # OpenCV's arrays are B, G, R: imwrite expects it so, imread gives it so.
    write("photo.png", np.ascontiguousarray(photo()[..., ::-1]))
    img = torch.from_numpy(cv2.imread(str(folder / "photo.png"))).to(device)
    gray = module.rgb_to_gray(img, bgr=True)
    write("gray.png", gray.cpu().numpy())
    write("gray_bgr_read_as_rgb.png", module.rgb_to_gray(img).cpu().numpy())
    rgb = img.flip(-1)
    cut_off = gray.int() - module.rgb_to_gray_naive(rgb).int()
    write("gray_cut_off.png", (255 * cut_off).to(torch.uint8).cpu().numpy())  # white: 1 too dark in the notes' version
    crop = img[60:180, 180:330]  # a view: its rows lie apart
    write("gray_crop.png", module.rgb_to_gray(crop, bgr=True).cpu().numpy())

    volume = torch.from_numpy(scan()).to(device)
    shown = [volume.shape[0] * k // 6 for k in (1, 2, 3)]
    normalized = module.normalize_volume(volume, MAX_VAL)
    write("slices_before.png", np.hstack([volume[z].cpu().numpy() for z in shown]))  # 16 bits, of which 12 are used
    write("slices_after.png", np.hstack([(255 * normalized[z]).round().byte().cpu().numpy() for z in shown]))
