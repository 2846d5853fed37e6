"""Small breakages of chapter 08, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/08_image/test_image.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
SIDE = GPU + "a_side_stream_needs_no_synchronize"
REUSED = GPU + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there"
LARGE = GPU + "more_than_2_to_the_31_elements"
CU, CPP = "chapters/08_image/image.cu", "chapters/08_image/image.cpp"
STREAM = "c10::cuda::getCurrentCUDAStream()"
ONLY_SAVES_A_LAUNCH = ["launch_rgb_to_gray", "launch_normalize_volume"]  # but for empty rows with gaps, see below

MUTANTS = [
    # ---- rounding, shift, edges, gaps, quotient
    Mutant(CU, "third + 500) / 1000", "third + 499) / 1000", T + "every_color_is_rounded_to_the_nearest_and_halves_up"),
    Mutant(CU, "(bgr ? 114 : 299) * first", "299 * first", T + "bgr_is_off_by_default"),
    Mutant(CU, "if (k == 3 && shift == 0) return;", "if (k == 3) return;", T + "every_alignment_of_image_and_row"),
    Mutant(CU, "words[k] = shift & 8 ? words[k + 2]", "words[k] = shift & 8 ? words[k + 1]",
           T + "every_alignment_of_image_and_row"),
    Mutant(CU, "row_gap % 16 == 0 && image_gap % 16 == 0;", "row_gap % 16 == 0;",
           T + "gaps_between_rows_and_images_decide_about_the_shift"),
    Mutant(CU, "if (row_gap == 0 && image_gap == 0) images.width", "if (image_gap == 0) images.width",
           T + "gaps_between_rows_and_images_decide_about_the_shift"),
    Mutant(CU, "min(begin + 16, images.width);", "min(begin + 16, images.width - 1);", T + "shapes"),
    Mutant(CU, "v.x / by, v.y / by, v.z / by, v.w / by",
           "v.x * (1 / by), v.y * (1 / by), v.z * (1 / by), v.w * (1 / by)", T + "every_quotient_is_correctly_rounded"),
    Mutant(CU, "blocks_for(n + 3, voxels)", "blocks_for(n, voxels)", T + "every_alignment_of_a_volume"),
    Mutant(CU, "const uint8_t* rgb = images.data + i * images.image_stride + y", "const uint8_t* rgb = images.data + y",
           T + "shapes"),
    Mutant(CU, "if (i < n) out[i] = volume[i] / maxVal;", "if (i < n) out[i] = volume[i] * (1 / maxVal);",
           T + "every_quotient_is_correctly_rounded"),
    Mutant(CU, "if (images.count == 0 || images.height == 0 || images.width == 0) return;\n    // Bytes", "// Bytes",
           "tests/chapters/test_operators.py::test_not_contiguous_is_refused[08_image.rgb_to_gray]",
           why="empty rows with gaps"),
    Mutant(CU, "uintptr_t(p) % 8 == 0 ?", "uintptr_t(p) % 2 == 0 ?", T + "every_alignment_of_a_volume", gpus=1,
           why="a CPU loads 8 bytes from any address"),
    Mutant(CPP, "rounded > 0 && std::isfinite(rounded)", "maxVal > 0 && std::isfinite(rounded)",
           T + "a_useless_maxVal_is_refused"),
    Mutant(CPP, "!(apart(-1, 1) || apart(-2, 3))", "!apart(-1, 1)", T + "other_shapes_and_strides_are_refused"),
    Mutant(CPP, f"images, bgr, {STREAM}", "images, bgr, nullptr",
           [test + "[08_image.rgb_to_gray]" for test in (SIDE, REUSED)], gpus=1),
    Mutant(CU, "normalizeVolumeKernel(float* out, const uint16_t* volume, int64_t n,",
           "normalizeVolumeKernel(float* out, const uint16_t* volume, int n,",
           [LARGE + "[08_image.normalize_volume_naive]"], gpus=1),
]  # fmt: skip
