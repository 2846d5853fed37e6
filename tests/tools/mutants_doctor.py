"""Small breakages of the doctor, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

DOCTOR, DIAGNOSES = "tools/doctor.py", "tools/diagnoses.py"
TESTS = "tests/tools/test_doctor.py::"
FAULTS = TESTS + "test_a_planted_fault_is_found"
LIBRARY = TESTS + "test_the_standard_library_is_enough"
LESSON = TESTS + "test_a_lesson_that_fails_prints_what_is_broken_and_keeps_its_status"

MUTANTS = [
    Mutant(DOCTOR, "except Exception as error:", "except ValueError as error:", LIBRARY),
    Mutant(DOCTOR, "return bool(wrong)", "return False", LIBRARY),
    Mutant(DOCTOR, 'if pair[1].status == "broken"]', 'if pair[1].status != "ok"]', LESSON),
    Mutant(DOCTOR, "sorted(findings, key=lambda pair: rank(pair[1].status))", "findings", LESSON),
    Mutant(DOCTOR, "and environment.runs():", "and False:", TESTS + "test_it_goes_on_in_the_python_of_the_lessons"),
    Mutant(DOCTOR, ' == "cpu"', ' == "none"', TESTS + "test_a_machine_that_needs_no_nvcc"),
    Mutant(DIAGNOSES, "run(*command, m.torch", "run(name, m.torch", TESTS + "test_a_machine_without_faults"),
    Mutant(DIAGNOSES, '"-std=c++20" if', '"-std=c++17" if', FAULTS),
    Mutant(DIAGNOSES, "library.stat().st_mtime < installed]", "library.stat().st_mtime > installed]", FAULTS),
    Mutant(DIAGNOSES, "m.toolkit == Path(home):", "find_cuda.version(Path(home)) == m.torch.cuda:",
           TESTS + "test_a_machine_without_faults"),
    Mutant(DIAGNOSES, "int(major) == gpu[0])", "True)", FAULTS),
    Mutant(DIAGNOSES, "(compute or ptx or", "(compute or", TESTS + "test_a_machine_without_faults"),
]  # fmt: skip
