"""Small breakages of what checks the exercises, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

TOLD = "tests/grader/test_checks.py::test_"
CALL = "tests/grader/test_launchers.py::test_"
TEST = "tests/grader/test_exercises.py::test_"
CHECKS, REPORT, LAUNCHERS, EXERCISES, TOOL = (
    f"grader/{name}.py" for name in ("checks", "report", "launchers", "exercises", "__main__")
)
WATCH = "cuda_on_cpu/include/cuda_on_cpu/watch.h"

MUTANTS = [
    # ---- what a check sees and says
    Mutant(CHECKS, '("0", ""), ("1", " with', '("0", ""), ("0", " with', TOLD + "both_orders_of_the_threads_are_tried"),
    Mutant(REPORT, "for pattern in NAN, OTHER:", "for pattern in NAN, NAN:", TOLD + "of_a_matrix_there_is_a_map"),
    Mutant(CHECKS, "if given != right:", "if False:", TOLD + "answers"),
    Mutant(REPORT, "begin = max(0, min(row - 8, len(marks) - 16))", "begin = 0", TOLD + "of_a_matrix_there_is_a_map"),
    # ---- launchers without a binding
    Mutant(LAUNCHERS, "if wanted and value.dtype", "if False and value.dtype", CALL + "what_does_not_fit_is_refused"),
    Mutant(LAUNCHERS, "has_stream = taken != parameters", "has_stream = False", CALL + "tensors_and_numbers_arrive"),
    Mutant(LAUNCHERS, "    for file in sorted(used):\n        key.update(file.read_bytes())\n", "",
           CALL + "several_are_compiled_at_once"),
    Mutant(LAUNCHERS, '"-Wl,-z,defs"', '"-Wl,-O1"', CALL + "what_cannot_be_built_is_said"),
    # ---- what a launcher does
    Mutant(WATCH, "if (watch && watch->has_stream && used != &watch->stream)", "if (false)",
           CALL + "what_a_launcher_does_wrong"),
    Mutant("cuda_on_cpu/include/cuda_on_cpu/capture.h", "    needs_stream(stream,",
           "    if (false) needs_stream(stream,", CALL + "what_a_launcher_does_wrong"),
    Mutant(WATCH, "++launches == refused ?", "++launches == 1 && refused ?", CALL + "a_launch_that_fails_is_reported"),
    Mutant(LAUNCHERS, "    if left:\n", "    if False:\n", CALL + "a_launch_that_fails_is_reported"),
    Mutant(LAUNCHERS, "        if _to_refuse > 0:\n", "        if False:\n",
           CALL + "an_error_before_the_refused_launch_is_no_report"),
    Mutant(LAUNCHERS, "    if not watch.launches and all(", "    if False and all(",
           CALL + "what_a_launcher_does_wrong"),
    Mutant(LAUNCHERS, "watch.most_threads < threads", "watch.most_threads < 0",
           CALL + "each_element_may_ask_for_a_thread"),
    Mutant("cuda_on_cpu/recorder/recorder.cpp", "const bool is_argument = in_launcher && ",
           "const bool is_argument = false && ", CALL + "messages_name_arrays_and_elements"),
    Mutant("cuda_on_cpu/recorder/arrays.h", " - (a < begin && (begin - a) % element != 0)", " - (a < begin)",
           CALL + "messages_name_arrays_and_elements"),
    Mutant("cuda_on_cpu/host_calls.py", "t.text(i) in host and ", "",
           "tests/cuda_on_cpu/test_translate.py::test_a_launch_that_may_be_right_is_left_alone"),
    Mutant(CHECKS, "    _check_errors(op, inputs(sizes[-1]))\n", "", TOLD + "a_launch_that_fails_has_to_be_reported"),
    Mutant(CHECKS, "for row in rows)) > numel:", "for row in rows)) < 0:", TOLD + "threads_share_out_the_elements"),
    Mutant(CHECKS, "if rows and count == sum(", "if False and count == sum(", TOLD + "threads_share_out_the_elements"),
    Mutant(CHECKS, "and out[:lost].any()", "", TOLD + "an_index_of_32_bits_shows_at_the_end"),
    Mutant(WATCH, "blocks - std::min(blocks, uint64_t(8))", "uint64_t(0)", CALL + "the_last_blocks_alone"),
    Mutant(CHECKS, "announce(row.data_ptr(), row.nbytes, gap)", "pass", TOLD + "a_row_of_a_crop_stands_alone"),
    Mutant(CHECKS, "3 if len(alike) == 1 else 12", "3", TOLD + "limits_say_what_a_warp_does_and_draw_little"),
    Mutant(EXERCISES, '            lines[1:-15] = ["..."]\n', "            pass\n", TEST + "a_trace_is_short"),
    Mutant(EXERCISES, "lines += dict.fromkeys(", "lines += list(", TEST + "a_trace_is_short"),
    Mutant(TOOL, "in ([RIGHT], [RIGHT, NO_GPU])", "in ([RIGHT],)", TEST + "the_command"),
    # ---- the command
    Mutant(TOOL, "remember(exercise, hints=given)", "pass", TEST + "the_command"),
    Mutant(TOOL, 'texts(exercise.folder / "skeleton", ', "texts(", TEST + "the_command"),
    Mutant(EXERCISES, "for folder in folders for", "for folder in folders[::-1] for", TEST + "the_command"),
    Mutant(TOOL, "exercise.mine.rename(kept)", "shutil.rmtree(exercise.mine)", TEST + "the_command"),
    Mutant(EXERCISES, 'CHAPTERS_SANITIZE="memory" if memory_check else ""', 'CHAPTERS_SANITIZE=""',
           TEST + "what_is_wrong_is_told"),
    # ---- an exercise
    Mutant("chapters/03_add2/exercises/1_saxpy/solution/saxpy.cu", "constexpr int threads = 256;",
           "constexpr int threads = 128;", TEST + "the_reader_writes_between_marks"),
    Mutant("chapters/03_add2/README.md", "`make exercise03.2`", "`make exercise03.3`",
           TEST + "the_lesson_has_each_exercise_once"),
]  # fmt: skip
