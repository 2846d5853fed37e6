"""The operators on pictures, as in note 004: OpenCV reads them, the operators compute, and OpenCV writes the results.

Started by `python chapters/08_image/main.py --pictures [FOLDER]`.
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

PHOTO = Path(__file__).resolve().parents[3] / "results/pictures/08_image/photo.png"
MAX_VAL = 4095.0  # a scanner of 12 bits


def scan():
    """uint16, Z x Y x X: an egg with a hard shell and two hollows, as a scanner shows it. Every numpy gives the same one."""
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in (48, 160, 160)), indexing="ij")
    radius = np.sqrt(z**2 + (y / 0.9) ** 2 + (x / 0.75) ** 2)
    values = np.select([radius < 0.78, radius < 0.92, radius < 0.95], [1100, 3600, 900], 200)
    values[(abs(x) - 0.25) ** 2 + (y + 0.1) ** 2 + z**2 < 0.03] = 400
    noise = np.random.RandomState(8).randint(-150, 150, values.shape)
    return (values + noise).astype(np.uint16)


def main(module, folder):
    if cv2 is None:
        sys.exit(f"OpenCV reads and writes the pictures:\n    {sys.executable} -m pip install opencv-python-headless")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, picture):
        if not cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_PNG_COMPRESSION, 9]):
            sys.exit(f"{folder / name} could not be written")
        print(f"{'picture':8}{folder / name}")

    photo = cv2.imread(str(PHOTO))  # B, G, R, as OpenCV reads and writes all pictures
    write("photo.png", photo)
    img = torch.from_numpy(photo).to(device)
    gray = module.rgb_to_gray(img, bgr=True)
    write("gray.png", gray.cpu().numpy())
    write("gray_bgr_read_as_rgb.png", module.rgb_to_gray(img).cpu().numpy())
    crop = img[20:112, 284:376]  # the balloon: a view whose rows lie apart
    balloon = module.rgb_to_gray(crop, bgr=True)
    write("gray_crop.png", balloon.cpu().numpy())
    cut_off = balloon.int() - module.rgb_to_gray_naive(crop.flip(-1)).int()  # 0 or 1
    both = torch.cat([balloon, 255 * cut_off.byte()], 1)
    write("gray_cut_off.png", both.cpu().numpy().repeat(4, 0).repeat(4, 1))  # each pixel 4 x 4 times

    volume = torch.from_numpy(scan()).to(device)
    shown = 6, 14, 24
    normalized = module.normalize_volume(volume, MAX_VAL)
    write("slices_before.png", np.hstack([volume[z].cpu().numpy() for z in shown]))  # they use 12 of 16 bits
    write("slices_after.png", np.hstack([(255 * normalized[z]).round().byte().cpu().numpy() for z in shown]))
