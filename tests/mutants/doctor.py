"""Small breakages of the doctor, and the tests that must fail because of each."""

from mutants import Mutant

DOCTOR, MACHINE = "tools/doctor.py", "tools/diagnoses/machine.py"
BUILDS, GPU = "tools/diagnoses/builds.py", "tools/diagnoses/gpu.py"
TESTS = "tests/tools/test_doctor.py::"
FAULTS = TESTS + "test_a_planted_fault_is_found"
RAISES = TESTS + "test_a_diagnosis_that_raises_is_reported_and_the_others_still_run"
REPORT = TESTS + "test_the_report_ends_with_what_is_broken_and_fits_a_terminal"
LIBRARY = TESTS + "test_the_standard_library_is_enough"

MUTANTS = [
    Mutant(DOCTOR, "except Exception as error:", "except OSError as error:", RAISES),
    Mutant(DOCTOR, "    sys.path.sort(key", "    sorted(sys.path, key", LIBRARY),
    Mutant(DOCTOR, 'any(finding.status == "broken"', 'any(finding.status == "wrong"', LIBRARY),
    Mutant(DOCTOR, 'if pair[1].status == "broken"]', 'if pair[1].status != "ok"]', REPORT),
    Mutant(DOCTOR, "and environment.runs():", "and False:", TESTS + "test_it_goes_on_in_the_python_of_the_lessons"),
    Mutant(MACHINE, "if folder), None)", "), None)", FAULTS, why="a file torch.py hides torch"),
    Mutant(MACHINE, 'wanted == "cuda" or (wanted', "(wanted", TESTS + "test_a_machine_without_a_gpu"),
    Mutant(BUILDS, "{m.torch.standard if m.torch else 17}", "17", FAULTS),
    Mutant(BUILDS, "free = min(free, int(limit)", "free = max(free, int(limit)", FAULTS),
    Mutant(BUILDS, "and not installed:", "and True:", TESTS + "test_a_machine_without_faults"),
    Mutant(BUILDS, "library.stat().st_mtime < installed]", "library.stat().st_mtime > installed]", FAULTS),
    Mutant(
        GPU,
        'int(newest[1]) < int(m.cuda.split(".")[0])',
        'f"{newest[1]}.{newest[2]}" != m.cuda',
        TESTS + "test_a_driver_of_the_same_major_version_is_new_enough",
    ),
    Mutant(GPU, "or m.toolkit == Path(home))", "or version == m.cuda)", TESTS + "test_a_machine_without_faults"),
    Mutant(GPU, "code[0] == capability[0])", "True)", TESTS + "test_which_code_runs_on_which_gpu"),
]
