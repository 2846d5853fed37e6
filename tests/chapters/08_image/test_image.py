"""Chapter 08: every colour, every alignment, crops and refusals of rgb_to_gray; normalize_volume's division; pictures."""

import re

import numpy as np
import pytest
import torch

from common import device
from common.checking import Guarded
from common.timing import Timing
from tests.support import ROOT, chapter, needs_gpu_memory, operators, ptx_of

CHAPTER = chapter("08_image")


@pytest.fixture
def ops():
    return operators("08_image")


def images(*shape):
    return CHAPTER.some_images(*shape)


@pytest.fixture(scope="module")
def every_color():
    """uint8, 4096 x 4096 x 3: each of the 2^24 colours once."""
    color = torch.arange(2**24, dtype=torch.int32, device=device)
    return torch.stack([color >> 16, color >> 8 & 255, color & 255], -1).to(torch.uint8).view(4096, 4096, 3)


def thousandths(img):
    """1000 times the grey value, exactly."""
    r, g, b = img.int().unbind(-1)
    return 299 * r + 587 * g + 114 * b


# ---- grey: values ---------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_every_color_is_rounded_to_the_nearest_and_halves_up(ops, every_color):
    """All 2^24 of them take 2 seconds."""
    # A quotient of integers is correctly rounded in float64: a half is a half there, and nothing else becomes one.
    # The divisor is a tensor: by a number, torch on a GPU would multiply by 0.001, which float64 cannot represent.
    thousand = torch.tensor(1000.0, dtype=torch.float64, device=device)
    reference = (thousandths(every_color).double() / thousand + 0.5).floor().to(torch.uint8)
    assert torch.equal(ops.rgb_to_gray(every_color), reference)
    assert torch.equal(ops.rgb_to_gray(every_color.flip(-1), bgr=True), reference)


def test_a_float64_sum_differs_only_where_it_misses_a_half(ops, every_color):
    """0.299 R + 0.587 G + 0.114 B in float64: the weights are no binary fractions, so some halves come out below."""
    every_color = every_color[:, ::8]  # enough of them
    r, g, b = every_color.double().unbind(-1)
    differs = (0.299 * r + 0.587 * g + 0.114 * b + 0.5).floor() != ops.rgb_to_gray(every_color.contiguous())
    assert differs.any()
    assert (thousandths(every_color)[differs] % 1000 == 500).all()


def test_within_1_of_opencv_for_every_color(ops, every_color):
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    ours = ops.rgb_to_gray(every_color).cpu().int()
    theirs = cv2.cvtColor(every_color.cpu().numpy(), cv2.COLOR_RGB2GRAY)
    assert (ours - torch.from_numpy(theirs).int()).abs().max() <= 1
    theirs = cv2.cvtColor(every_color.cpu().numpy(), cv2.COLOR_BGR2GRAY)
    ours = ops.rgb_to_gray(every_color, bgr=True).cpu().int()
    assert (ours - torch.from_numpy(theirs).int()).abs().max() <= 1


@pytest.mark.thorough
def test_the_notes_version_is_one_too_dark_for_half_of_the_colors(ops, every_color):
    def fma(a, x, c):  # product and sum are exact in float64; then one rounding
        return (a.double() * x.double() + c.double()).float()

    r, g, b = every_color.unbind(-1)
    weights = torch.tensor([0.299, 0.587, 0.114], device=device)
    naive = ops.rgb_to_gray_naive(every_color)
    assert torch.equal(naive, fma(weights[2], b, fma(weights[1], g, weights[0] * r.float())).to(torch.uint8))
    missing = ops.rgb_to_gray(every_color).int() - naive.int()
    assert missing.min() == 0 and missing.max() == 1
    assert 0.45 < missing.double().mean() < 0.55


def test_bgr_is_off_by_default(ops):
    red = torch.tensor([[[255, 0, 0]]], dtype=torch.uint8, device=device)
    assert ops.rgb_to_gray(red).item() == 76 and ops.rgb_to_gray(red, bgr=True).item() == 29


# ---- grey: shapes and views -----------------------------------------------------------------------------------------
@pytest.mark.kernels
@pytest.mark.parametrize("op", ["rgb_to_gray", "rgb_to_gray_naive"])
@pytest.mark.parametrize(
    "shape", [(0, 0), (0, 5), (5, 0), (1, 1), (7, 1), (1, 7), (5, 33), (0, 4, 4), (3, 0, 4), (3, 5, 0), (3, 5, 17)]
)
def test_shapes(ops, op, shape, thread_order):
    img = images(*shape)
    gray = getattr(ops, op)(img)
    assert gray.shape == shape and gray.dtype == torch.uint8 and gray.is_contiguous()
    assert ((thousandths(img) - 1000 * gray.int()).abs() <= 1000).all()


def test_every_alignment_of_image_and_row(ops, thread_order):
    """Each of 16 addresses that a row may begin at, with widths around one and several stores of 16 pixels."""
    memory = torch.randint(0, 256, (3 * 200 + 32,), dtype=torch.uint8, device=device)
    for width in (*range(1, 36), 47, 48, 49, 64, 65, 100):
        for start in range(16):
            for gap in 0, 1:  # joined to one row, and two rows of which each begins elsewhere, as does its grey one
                img = memory[start:].as_strided((2, width, 3), (3 * width + gap, 3, 1))
                assert torch.equal(ops.rgb_to_gray(img), CHAPTER.gray_torch(img)), (width, start, gap)


@pytest.mark.parametrize("beyond", range(16))
def test_every_alignment_of_gray(ops, beyond, thread_order, monkeypatch):
    """torch's own results begin at a multiple of 16 bytes; a launcher takes any."""
    monkeypatch.setattr(Guarded, "MARGIN", 1024 + beyond)
    memory = torch.randint(0, 256, (2 * 3 * 200,), dtype=torch.uint8, device=device)
    for width in 1, 5, 16, 17, 31, 32, 33, 48, 70:
        for start in 0, 3 * beyond % 16, 7:
            for gap in 0, 1, 16:
                img = memory[start:].as_strided((3, width, 3), (3 * width + gap, 3, 1))
                with Guarded():
                    gray = ops.rgb_to_gray(img)
                assert gray.data_ptr() % 16 == beyond
                assert torch.equal(gray, CHAPTER.gray_torch(img)), (width, start, gap)


@pytest.mark.kernels
def test_gaps_between_rows_and_images_decide_about_the_shift(ops, thread_order):
    """The first row needs no shift; whether the others do is up to the gaps, whatever the width."""
    memory = images(16 * 70)
    for width in 16, 17, 33, 64:
        for row_gap in 0, 1, 8, 16, 48:
            for image_gap in 0, 1, 8, 16, 32, -4 * row_gap:  # the last: images that overlap
                row = 3 * width + row_gap
                img = memory.view(-1).as_strided((3, 4, width, 3), (4 * row + image_gap, row, 3, 1))
                assert torch.equal(ops.rgb_to_gray(img), CHAPTER.gray_torch(img)), (width, row_gap, image_gap)


@pytest.mark.kernels
def test_crops_are_right_without_a_copy(ops, thread_order):
    many = images(4, 21, 90)
    for img in (
        many[:, 3:20, 5:83],  # crops of a batch
        many[1, :, 7:],  # the crop of one
        many[:, :, :1],  # a column, one pixel wide
        many[:, 4:5],  # a row of each
        many[::2, ::3],  # every other image, every third row
        many[3:, 20:, 50:],
        many[:1, :1].expand(5, 6, 90, 3),  # the same row again and again
        many[0, :, :1].transpose(0, 1)[:, :1],
    ):
        for bgr in False, True:
            expected = CHAPTER.gray_torch(img.flip(-1) if bgr else img)
            assert torch.equal(ops.rgb_to_gray(img, bgr), expected), (img.shape, img.stride())


def test_more_rows_and_images_than_a_grid_has_blocks(ops):
    red = torch.tensor([255, 0, 0], dtype=torch.uint8, device=device)
    for op, rows_of_a_block in (ops.rgb_to_gray, 256), (ops.rgb_to_gray_naive, 16):
        for shape in (65535 * rows_of_a_block + 3, 1), (65537, 1, 1):
            with Guarded():  # what is not written is 255
                gray = op(red.expand(*shape, 3))  # the same pixel for each row
            assert (gray == 76).all()


@pytest.mark.parametrize("op", ["rgb_to_gray", "rgb_to_gray_naive"])
@pytest.mark.parametrize(
    "bad, message",
    [
        (lambda: images(4, 4)[..., :2], r"must have the shape H x W x 3 or N x H x W x 3, got \[4, 4, 2\]"),
        (lambda: images(4, 4).movedim(-1, 0), r"must have the shape .*, got \[3, 4, 4\]"),
        (lambda: images(3), r"must have the shape .*, got \[3, 3\]"),
        (lambda: images(), r"must have the shape .*, got \[3\]"),
        (lambda: images(2, 2, 4, 4), r"must have the shape .*, got \[2, 2, 4, 4, 3\]"),
        (lambda: images(4, 4)[:, ::2], r"must be contiguous within each row, got strides \[12, 6, 1\]"),
        (lambda: images(4, 4).transpose(0, 1), "must be contiguous within each row"),
        (lambda: images(4, 4).movedim(-1, 0).contiguous().movedim(0, -1), "within each row"),  # planes of colour
    ],
)
def test_other_shapes_and_strides_are_refused(ops, op, bad, message):
    with pytest.raises(ValueError, match=f"^img .*{message}"):
        getattr(ops, op)(bad())


@needs_gpu_memory(40)
def test_more_than_2_to_the_31_bytes_and_pixels(ops):
    for height, width in (27000, 27001), (50000, 50000):
        img = images(height, width)
        gray = ops.rgb_to_gray(img)
        crop = ops.rgb_to_gray(img[:, 1:])
        for rows in slice(0, 100), slice(height - 100, height):
            expected = CHAPTER.gray_torch(img[rows])
            assert torch.equal(gray[rows], expected) and torch.equal(crop[rows], expected[:, 1:])


# ---- volume ---------------------------------------------------------------------------------------------------------
def every_value():
    """uint16, 1 x 256 x 256."""
    return torch.arange(2**16, dtype=torch.int32, device=device).to(torch.uint16).view(1, 256, 256)


@pytest.mark.parametrize("maxVal", [65535, 4095.0, 1000, 3.0, 1, 0.1, 1e-3, 2.5e-38, 1e-42, 3e38, np.uint16(4095)])
def test_every_quotient_is_correctly_rounded(ops, maxVal, thread_order):
    """... by the float32 that maxVal becomes. For a divisor and a quotient of 24 bits, float64 has enough to spare that
    its own rounding does no harm (S. Figueroa, When is double rounding innocuous?, 1995)."""
    volume = every_value()
    reference = CHAPTER.volume_reference(volume, float(np.float32(maxVal)))
    for op in ops.normalize_volume, ops.normalize_volume_naive:
        assert torch.equal(op(volume, maxVal), reference)


def test_a_reciprocal_would_be_off_by_a_bit():
    for maxVal in 4095.0, 1000.0:
        volume = every_value()
        product = volume.float() * (1 / torch.tensor(maxVal, device=device))
        differs = product != CHAPTER.volume_reference(volume, maxVal)
        assert differs.double().mean() > 0.5
        torch.testing.assert_close(product, CHAPTER.volume_reference(volume, maxVal), rtol=2**-22, atol=0)


@pytest.mark.skipif(device.type == "cpu", reason="on the CPU torch divides")
def test_torch_multiplies_by_the_reciprocal_on_a_gpu():
    differs = CHAPTER.volume_torch(every_value(), 4095.0) != CHAPTER.volume_reference(every_value(), 4095.0)
    assert differs.any()


@pytest.mark.parametrize("beyond", range(4))
def test_every_alignment_of_a_volume(ops, beyond, thread_order, monkeypatch):
    """... and of its result, with ends before, within and after what a block of 128 threads does: 1024 voxels."""
    monkeypatch.setattr(Guarded, "MARGIN", 1024 + 4 * beyond)
    memory = CHAPTER.some_volume(2100)
    sizes = [*range(20), *range(508, 518), *range(1016, 1030), *range(2040, 2054)]
    for start in 0, 1, 2, 3, 4, 7:
        for n in sizes:
            volume = memory[start : start + n].view(1, 1, n)
            with Guarded():
                result = ops.normalize_volume(volume, 7.0)
            assert n == 0 or result.data_ptr() % 16 == 4 * beyond
            assert torch.equal(result, CHAPTER.volume_reference(volume, 7.0)), (start, n)


@pytest.mark.thorough
def test_nvcc_keeps_the_wide_loads_and_stores(tmp_path):
    """A small change can make it take a float4 apart, and nothing but the time would show it."""
    kernels = ptx_of(ROOT / "chapters/08_image/image.cu", tmp_path)

    def order(kernel):
        (body,) = (code for name, code in kernels.items() if kernel in name)
        return " ".join(re.findall(r"(ld|st)\.global\.v4", body))

    assert order("rgb_to_gray_kernelILb1") == "ld ld ld st"  # aligned
    assert order("rgb_to_gray_kernelILb0") == "ld ld ld ld st"
    assert order("normalize_volume_kernel") == "ld ld st st"


@pytest.mark.parametrize("maxVal", [0, -0.0, -1, float("nan"), float("inf"), -float("inf"), 1e39, 1e-50, 10**300])
@pytest.mark.parametrize("op", ["normalize_volume", "normalize_volume_naive"])
def test_a_useless_maxVal_is_refused(ops, op, maxVal):
    for volume in CHAPTER.some_volume(2, 2, 2), CHAPTER.some_volume(0, 2, 2):
        with pytest.raises(ValueError, match="^maxVal must be a positive, finite number within float32, got "):
            getattr(ops, op)(volume, maxVal)


@pytest.mark.parametrize("maxVal", ["7", None, [7.0], 1j])
def test_a_maxVal_that_is_no_number_is_refused(ops, maxVal):
    with pytest.raises(TypeError, match="maxVal: "):
        ops.normalize_volume(CHAPTER.some_volume(2, 2, 2), maxVal)


@pytest.mark.parametrize("shape", [(), (4,), (4, 4), (2, 2, 2, 2)])
def test_a_volume_has_three_dimensions(ops, shape):
    with pytest.raises(ValueError, match="^volume must have the shape Z x Y x X, got "):
        ops.normalize_volume(CHAPTER.some_volume(*shape), 7.0)


@pytest.mark.parametrize("shape", [(0, 4, 4), (4, 0, 4), (4, 4, 0)])
def test_empty_volumes(ops, shape):
    for op in ops.normalize_volume, ops.normalize_volume_naive:
        result = op(CHAPTER.some_volume(*shape), 7.0)
        assert result.shape == shape and result.dtype == torch.float32


# ---- uint16 in torch, and pictures ----------------------------------------------------------------------------------
@pytest.mark.parametrize("where", ["cpu"] + ["cuda"] * torch.cuda.is_available())
def test_torch_can_do_with_uint16_what_the_chapter_needs(where):
    uint16 = chapter("08_image", "notes/uint16")
    needed = "x.clone()", "x[1:]", "x.to(torch.float32)", "x.view(torch.int16)", "x == x", "x.float().max()"
    assert set(needed) < set(uint16.EXPRESSIONS)
    assert all(uint16.runs(expression, where) for expression in needed)


def test_torch_has_gaps_for_uint16_on_the_cpu(capsys):
    uint16 = chapter("08_image", "notes/uint16")
    gaps = {expression for expression in uint16.EXPRESSIONS if not uint16.runs(expression, "cpu")}
    assert {"x + x", "x < x", "x.max()"} <= gaps, "torch has closed a gap that the note names"
    uint16.main()
    printed = capsys.readouterr().out
    assert set(re.findall(r"^ {8}(.{32}) +no\b", printed, re.M)) == {f"{gap:<32}" for gap in gaps}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    folder = tmp_path_factory.mktemp("pictures")
    chapter("08_image", "notes/photos").main(operators("08_image"), folder)
    return folder


def test_the_notes_pictures_are_what_the_lesson_writes(pictures):
    import cv2

    kept = ROOT / "results" / "pictures" / "08_image"
    assert {file.name for file in pictures.iterdir()} == {file.name for file in kept.iterdir()}
    for file in pictures.iterdir():
        now, then = (cv2.imread(str(f), cv2.IMREAD_UNCHANGED) for f in (file, kept / file.name))
        same = np.array_equal(now, then) and now.dtype == then.dtype  # the files' bytes depend on OpenCV's zlib
        again = f"python chapters/08_image/main.py --pictures {kept.relative_to(ROOT)}"
        assert same, f"{file.name} is not what the lesson makes: {again}"
        assert (kept / file.name).stat().st_size < 200_000


def test_the_pictures_show_what_the_note_says(pictures):
    import cv2

    def read(name):
        return cv2.imread(str(pictures / name), cv2.IMREAD_UNCHANGED)

    photo, gray = read("photo.png"), read("gray.png")
    assert np.abs(gray.astype(int) - cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)).max() <= 1
    assert np.abs(read("gray_bgr_read_as_rgb.png").astype(int) - gray).max() > 40
    balloon = gray[20:112, 284:376]
    assert np.array_equal(read("gray_crop.png"), balloon)
    both = read("gray_cut_off.png")[::4, ::4]
    weighted = photo[20:112, 284:376].astype(int) @ np.array([114, 587, 299])
    assert np.array_equal(both, np.hstack([balloon, np.where(weighted % 1000 >= 500, 255, 0)]))
    assert 0.4 < (both[:, 92:] > 0).mean() < 0.6
    before, after = read("slices_before.png"), read("slices_after.png")
    assert before.dtype == np.uint16 and before.max() <= 4095 and after.max() > 200


def test_pictures_without_opencv_is_a_clear_message(ops, monkeypatch, tmp_path):
    photos = chapter("08_image", "notes/photos")
    monkeypatch.setattr(photos, "cv2", None)
    with pytest.raises(SystemExit, match="-m pip install opencv-python-headless"):
        photos.main(ops, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("missing", [(), ("cv2", "torchvision")])
def test_the_table_of_a_batch(ops, monkeypatch, capsys, missing):
    batch = chapter("08_image", "batch")
    find = batch.importlib.util.find_spec
    monkeypatch.setattr(batch.importlib.util, "find_spec", lambda name: None if name in missing else find(name))
    monkeypatch.setattr(batch, "COUNT", 1)
    monkeypatch.setattr(batch, "measure", lambda name, n, op, args: op(*args) is None or Timing(name, n, 0.5, 0, 0, 0))
    batch.main(ops, CHAPTER.gray_torch)
    printed = capsys.readouterr().out
    assert re.search(r"rgb_to_gray  +500.00 ms +2\n", printed)
    for package, row in ("cv2", "OpenCV on the CPU"), ("torchvision", "torchvision  "):
        assert (row in printed) == bool(find(package) and package not in missing)
    assert ("opencv-python-headless is not installed" in printed) == (not find("cv2") or "cv2" in missing)
