"""Small breakages of what checks the exercises, and the tests that must fail because of each."""

from mutants import Mutant

TOLD = "tests/common/test_exercise_checks.py::test_"
CALL = "tests/common/test_launchers.py::test_"
TEST = "tests/chapters/test_exercises.py::test_"
CHECKS, LAUNCHERS, TOOL = "common/exercises.py", "common/launchers.py", "tools/exercise.py"

MUTANTS = [
    # ---- what a check sees and says
    Mutant(CHECKS, '("0", ""), ("1", " with', '("0", ""), ("0", " with', TOLD + "both_orders_of_the_threads_are_tried"),
    Mutant(CHECKS, "for pattern in NAN, OTHER:", "for pattern in NAN, NAN:", TOLD + "of_a_matrix_there_is_a_map"),
    Mutant(CHECKS, "if given != right:", "if False:", TOLD + "answers"),
    Mutant(CHECKS, "begin = max(0, min(row - 8, len(marks) - 16))", "begin = 0", TOLD + "of_a_matrix_there_is_a_map"),
    # ---- launchers without a binding
    Mutant(LAUNCHERS, "if wanted and value.dtype", "if False and value.dtype", CALL + "what_does_not_fit_is_refused"),
    Mutant(LAUNCHERS, "if taken != parameters:", "if False:", CALL + "tensors_and_numbers_arrive"),
    Mutant(
        LAUNCHERS,
        "    for file in sorted(used):\n        key.update(file.read_bytes())\n",
        "",
        CALL + "several_are_compiled_at_once",
    ),
    Mutant(LAUNCHERS, '"-Wl,-z,defs"', '"-Wl,-O1"', CALL + "what_cannot_be_built_is_said"),
    # ---- the command
    Mutant(TOOL, "remember(exercise, hints=given)", "pass", TEST + "the_command"),
    Mutant(TOOL, "exercise.mine.rename(kept)", "shutil.rmtree(exercise.mine)", TEST + "the_command"),
    Mutant(
        TOOL,
        'CHAPTERS_SANITIZE="memory" if memory_check else ""',
        'CHAPTERS_SANITIZE=""',
        TEST + "what_is_wrong_is_told",
    ),
    # ---- an exercise
    Mutant(
        "chapters/03_add2/exercises/1_saxpy/solution/saxpy.cu",
        "constexpr int threads = 256;",
        "constexpr int threads = 128;",
        TEST + "the_reader_writes_between_marks",
    ),
    Mutant(
        "chapters/03_add2/README.md",
        "`make exercise03.2`",
        "`make exercise03.3`",
        TEST + "the_lesson_has_each_exercise_once",
    ),
]
