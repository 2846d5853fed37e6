"""pipeline: flip, planes of floats and normalisation of a crop, in one kernel

It takes what you know of rows and strides (02), launches (03), vector stores (06) and shifted loads (08). prepare.h says what
the launcher does. No line of prepare.cu is there yet. Begin with a thread for a pixel: the check asks for speed last.
"""

import torch

from common.exercises import Wrong, check, device, launchers, only_rows, seen

MINUTES = 60
HINTS = [
    "First a thread for a pixel and a grid over columns and rows: out[(c * height + y) * width + x] gets byte c of pixel x of "
    "row y, or of pixel width - 1 - x where flip is true. All checks but the last then hold.",
    "Then give a thread four pixels: 12 bytes of img, and a float4 in each of the three planes. Of out all addresses are "
    "multiples of 16 bytes, because width is a multiple of 4.",
    "Load the 12 bytes as aligned words of 4 bytes: three, or four if the address of the first byte is no multiple of 4. "
    "`__funnelshift_r(words[k], words[k + 1], 8 * shift)` then moves them to the front.",
    "Where these words would leave the row, fill the words byte by byte: words[k / 4] |= unsigned(p[k]) << (8 * (k % 4)).",
    "With flip, the four pixels of out from x on are those of img from width - 4 - x on, and the last of them comes first.",
]
FAILS = "undefined reference to `launch_prepare"
WRONG = {
    "flips_groups_only": ("flip = True", {"prepare.cu": [("flip ? byte(9 - 3 * k + c) : byte", "byte")]}),
    "rows_without_gaps": ("wrong result", {"prepare.cu": [("y * row_stride", "3 * y * width")]}),
    "last_word": (
        "behind",
        {"prepare.cu": [("shift && begin - shift + (shift == 0 ? 12 : 16) <= 3 * width", "shift")]},
    ),
    "beside_a_row": (
        "bytes beside a row",
        {
            "prepare.cu": [
                ("begin >= shift && begin", "(y > 0 || begin >= shift) && (y + 1 < height || begin"),
                ("<= 3 * width) {", "<= 3 * width)) {"),
            ]
        },
    ),
    "a_block_for_each_row": (
        "height = 70000, width = 4: launch_prepare failed: invalid configuration argument",
        {"prepare.cu": [("unsigned(std::min(height, int64_t(65535)))", "unsigned(height)")]},
    ),
    "rows_of_one_grid": (
        "height = 70000, width = 4: 4465 rows are wrong, the first of them row 65535",
        {
            "prepare.cu": [
                (
                    "int64_t y = blockIdx.y; y < height; y += gridDim.y",
                    "int64_t y = blockIdx.y; y < height; y += height",
                )
            ]
        },
    ),
    "thread_for_a_pixel": (
        "6 loads and stores for 32 pixels",
        {
            "prepare.cu": [
                (
                    "// The 12 bytes at p, in the first three words. They lie in three aligned words, or "
                    "in four.\n"
                    "__device__ void load_12_bytes(unsigned (&words)[4], const uint8_t* p, unsigned shift) {\n"
                    "    const unsigned* pieces = reinterpret_cast<const unsigned*>(p - shift);\n"
                    "    for (int k = 0; k < 3; k++) words[k] = pieces[k];\n"
                    "    if (shift != 0) words[3] = pieces[3];\n"
                    "    for (int k = 0; k < 3; k++) words[k] = __funnelshift_r(words[k], words[k + 1], "
                    "8 * shift);\n"
                    "}\n"
                    "\n"
                    "// A thread computes four pixels of a row, with a float4 in each plane.\n",
                    "",
                ),
                (
                    "4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);  // in out",
                    "int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
                ),
                (
                    "    const int64_t begin = 3 * (flip ? width - 4 - x : x);  // in img, in bytes from "
                    "the row's beginning\n",
                    "",
                ),
                (
                    "const uint8_t* p = img + y * row_stride + begin;\n"
                    "        const unsigned shift = uintptr_t(p) % 4;\n"
                    "        unsigned words[4] = {};\n"
                    "        if (begin >= shift && begin - shift + (shift == 0 ? 12 : 16) <= 3 * width) {\n"
                    "            load_12_bytes(words, p, shift);\n"
                    "        } else {\n"
                    "            for (int k = 0; k < 12; k++) words[k / 4] |= unsigned(p[k]) << (8 * (k "
                    "% 4));\n"
                    "        }\n"
                    "        const auto byte = [&](int k) { return (words[k / 4] >> (8 * (k % 4))) & 255; };\n"
                    "        for (int c = 0; c < 3; c++) {\n"
                    "            float v[4];\n"
                    "            for (int k = 0; k < 4; k++) v[k] = (float(flip ? byte(9 - 3 * k + c) : "
                    "byte(3 * k + c)) - mean) * scale;\n"
                    "            *reinterpret_cast<float4*>(out + (c * height + y) * width + x) = "
                    "make_float4(v[0], v[1], v[2], v[3]);\n"
                    "        }",
                    "const uint8_t* p = img + y * row_stride + 3 * (flip ? width - 1 - x : x);\n"
                    "        for (int c = 0; c < 3; c++) out[(c * height + y) * width + x] = (p[c] - "
                    "mean) * scale;",
                ),
                ("4 * threads", "threads"),
            ]
        },
    ),
}
MEAN, SCALE = 128.0, 0.0625


def run(mine):
    launch = launchers(mine / "prepare.cu").launch_prepare

    def prepare(img, flip):
        height, width, _ = img.shape
        out = torch.empty(3, height, width, device=device)
        behind = img.untyped_storage().nbytes() - img.storage_offset()
        memory = img.as_strided((max(behind, 0),), (1,))  # crops of width 0 may begin behind the end
        launch(out, memory, height, width, img.stride(0), flip, MEAN, SCALE)
        return out

    def reference(img, flip):
        flipped = img.flip(1) if flip else img
        return (flipped.permute(2, 0, 1).float() - MEAN) * SCALE

    def crops(left, flip):
        """Two rows of n pixels, the last of which ends where the memory does."""
        return lambda n: (torch.randint(0, 256, (3, left + n, 3), dtype=torch.uint8, device=device)[1:, left:], flip)

    for flip in False, True:
        for left in range(4):
            name = f"img[1:, {left}:], flip = {flip}, width"
            check(prepare, reference, crops(left, flip), sizes=(0, 4, 8, 132), name=name)
    for width in range(4, 25, 4):  # five rows of an image: they begin at all addresses modulo 4
        for flip in False, True:
            image = torch.empty(5, 3 * width + 33, dtype=torch.uint8, device=device)
            crop = image[:, 16 : 16 + 3 * width]
            with only_rows(crop):
                prepare(crop.unflatten(1, (width, 3)), flip)
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
