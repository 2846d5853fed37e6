"""The operators on pictures: read with OpenCV, computed, and written back, as in the notes.

Started by `python chapters/08_image/main.py --pictures [FOLDER]`. The picture and the volume come from scenes.py, which
computes them: nothing is downloaded.
"""

import sys
from pathlib import Path

import numpy as np
import scenes
import torch

from common import device

try:
    import cv2
except ImportError:
    cv2 = None


def main(module, folder):
    if cv2 is None:
        sys.exit(f"OpenCV reads and writes the pictures:\n    {sys.executable} -m pip install opencv-python-headless")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, picture):
        if not cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_PNG_COMPRESSION, 9]):
            sys.exit(f"{folder / name} could not be written")
        print(f"{'picture':8}{folder / name}")

    # OpenCV's arrays are B, G, R: imwrite expects it so, imread gives it so.
    write("photo.png", np.ascontiguousarray(scenes.photo()[..., ::-1]))
    img = torch.from_numpy(cv2.imread(str(folder / "photo.png"))).to(device)
    gray = module.rgb_to_gray(img, bgr=True)
    write("gray.png", gray.cpu().numpy())
    write("gray_bgr_read_as_rgb.png", module.rgb_to_gray(img).cpu().numpy())
    crop = img[20:112, 284:376]  # the balloon: a view, its rows lie apart
    balloon = module.rgb_to_gray(crop, bgr=True)
    write("gray_crop.png", balloon.cpu().numpy())
    cut_off = balloon.int() - module.rgb_to_gray_naive(crop.flip(-1)).int()  # 0 or 1
    both = torch.cat([balloon, 255 * cut_off.byte()], 1)
    write("gray_cut_off.png", both.cpu().numpy().repeat(4, 0).repeat(4, 1))  # 4 x 4 for a pixel

    volume = torch.from_numpy(scenes.scan()).to(device)
    shown = 6, 14, 24
    normalized = module.normalize_volume(volume, scenes.MAX_VAL)
    write("slices_before.png", np.hstack([volume[z].cpu().numpy() for z in shown]))  # 16 bits, of which 12 are used
    write("slices_after.png", np.hstack([(255 * normalized[z]).round().byte().cpu().numpy() for z in shown]))
