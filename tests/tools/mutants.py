"""Small breakages of what runs the tests and the lessons: tests/conftest.py, tools/lesson.py, tools/maintain/mutants.py."""

from tools.maintain.mutants import Mutant

WORKERS = "tests/tools/test_workers.py::test_"
LESSON = "tests/tools/test_lesson.py::test_"
TENSORS = LESSON + "memcheck_knows_where_tensors_begin_and_end"
VERDICTS = "tests/tools/test_mutants.py::test_every_verdict_and_restored_afterwards"

MUTANTS = [
    Mutant("tests/conftest.py", "fcntl.LOCK_EX if alone else fcntl.LOCK_SH", "fcntl.LOCK_SH", WORKERS + "alone"),
    Mutant("tests/conftest.py", "fcntl.LOCK_EX if alone else fcntl.LOCK_SH", "fcntl.LOCK_EX", WORKERS + "alone"),
    Mutant("tests/conftest.py", 'if build == "build" or thorough:', "if True:",
           WORKERS + "only_what_the_tests_need_is_built"),
    Mutant("tests/conftest.py", "item.add_marker(pytest.mark.thorough)", "pass", WORKERS + "marks_and_order"),
    Mutant("tests/conftest.py", '(marked(item, "alone"), not', "(not", WORKERS + "marks_and_order"),
    Mutant("tests/conftest.py", "[first - 1 :: parts]", "[first - 1 :]", WORKERS + "a_part_of_the_thorough_tests"),
    Mutant("tests/conftest.py", "str(group.args[0]) if group else item.nodeid", "item.nodeid",
           WORKERS + "a_part_of_the_thorough_tests"),
    Mutant("tests/conftest.py", 'item.add_report_section("call", "mistake", str(caught.value))', "pass",
           LESSON + "what_is_said_of_a_mistake_is_shown"),
    Mutant("tools/lesson.py", "if not head or not frames:", "if False:",
           LESSON + "a_report_of_address_sanitizer_becomes_a_line[after]"),
    Mutant("tools/lesson.py", "    if status == 0:\n        print(told(\"memory\", \"AddressSanitizer",
           "    if True:\n        print(told(\"memory\", \"AddressSanitizer",
           LESSON + "sanitize_ends_with_a_verdict_and_the_status_of_the_program[3]"),
    Mutant("tools/lesson.py", "memory_check.knowing_tensors() | ", "", TENSORS),
    Mutant("tools/lesson.py", "import common  #", "#", TENSORS, why="two recorders, of which one knows the tensors"),
    Mutant("cuda_on_cpu/recorder/recorder.cpp",
           "    check.arrays.forget_tensors(begin - margin, begin + bytes + margin);\n", "", TENSORS,
           why="the harness's tensor begins in front of the one that it announces"),
    Mutant("tools/lesson.py", "names.get(row.file, row.file)", "row.file",
           LESSON + "the_microscope_names_the_file_whose_text_load_inline_has_written"),
    Mutant("tools/maintain/mutants.py", "        file.write_text(text)\n", "        pass\n", VERDICTS),
    Mutant("tools/maintain/mutants.py", 'if tag != "FAILED")', 'if tag == "PASSED")', VERDICTS),
    Mutant("tools/maintain/mutants.py", "return bool(bad)", "return 0", VERDICTS),
    Mutant("tools/maintain/mutants.py", '"FAILED", "PASSED", "SKIPPED"  #', '"PASSED", "FAILED", "SKIPPED"  #',
           VERDICTS),
    Mutant("tools/maintain/mutants.py", "if compiled and (error", "if False and (error", VERDICTS),
    Mutant("tools/maintain/mutants.py", "            path.unlink()\n", "            pass\n", VERDICTS),
]  # fmt: skip
