"""Small breakages of where lessons find their Python, compiler and toolkit, and the tests that must fail because of each."""

from mutants import Mutant

ENVIRONMENT = "tests/tools/test_environment.py::"
BUILDS = "tests/common/test_builds.py::"
FAULTS = "tests/tools/test_faults.py::"

MUTANTS = [
    # Which Python.
    Mutant("tools/environment.py", "prereleases=True", "prereleases=False", ENVIRONMENT + "test_which_torch_fits"),
    Mutant("pyproject.toml", '"torch>=2.11,<2.16"', '"torch>=2.11,<3"', ENVIRONMENT + "test_which_torch_fits"),
    Mutant(
        "tools/environment.py",
        " and Path(sys.prefix).resolve() != VENV.resolve() and fits(TORCH)",
        " and fits(TORCH)",
        ENVIRONMENT + "test_an_activated_venv_is_still_looked_after",
    ),
    Mutant(
        "tools/environment.py",
        'r"==\\1.*"',
        'r">=\\1"',
        ENVIRONMENT + "test_the_oldest_and_the_newest_have_environments_of_their_own",
    ),
    # The making of .venv.
    Mutant(
        "tools/environment.py",
        'return "ready" if set(wanted) <= set(installed) else "outdated"',
        'return "ready"',
        ENVIRONMENT + "test_made_once_then_mended_or_made_anew",
    ),
    Mutant(
        "tools/environment.py",
        'another = os.environ.get("PYTHON") and os',
        "another = os",
        ENVIRONMENT + "test_made_once_then_mended_or_made_anew",
    ),
    Mutant(
        "tools/environment.py",
        '            stamp.write_text("")\n            show(',
        "            show(",
        ENVIRONMENT + "test_killed_and_run_again",
        why="a .venv that pip was mending when it was killed passes for the one before",
    ),
    Mutant(
        "tools/environment.py",
        "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        ENVIRONMENT + "test_one_at_a_time",
    ),
    Mutant("tools/environment.py", ", pass_fds=[lock.fileno()]", "", ENVIRONMENT + "test_one_at_a_time"),
    Mutant(
        "tools/environment.py",
        "if venv.exists() and not stamp.exists() and any(venv.iterdir()):",
        "if False:",
        ENVIRONMENT + "test_a_venv_of_the_readers_own_is_not_touched",
    ),
    Mutant(
        "tools/environment.py",
        "(r for r in installed if r in known and r not in wanted)",
        "()",
        ENVIRONMENT + "test_what_is_asked_for_is_added_and_stays",
        why="pip is not told of what it must not break",
    ),
    Mutant(
        "tools/environment.py",
        "if r in known and r not in wanted",
        "if r not in wanted",
        ENVIRONMENT + "test_what_is_asked_for_is_added_and_stays",
        why="pip gets a bound that has left pyproject.toml",
    ),
    Mutant(
        "tools/environment.py",
        '        if line.startswith("Installing collected packages"):\n            stamp',
        '        stamp.write_text("")\n        if line.startswith("Installing collected packages"):\n            stamp',
        ENVIRONMENT + "test_lessons_still_run_when_nothing_could_be_added",
    ),
    Mutant(
        "tools/environment.py",
        "fetched, size, part = fetched + size,",
        "fetched, size, part = size,",
        ENVIRONMENT + "test_what_pip_does_is_one_line_and_its_own_lines_are_in_a_log",
    ),
    Mutant("tools/environment.py", "[-10:]", "[:10]", ENVIRONMENT + "test_a_pip_that_fails_is_shown_by_its_last_lines"),
    Mutant(
        "tools/environment.py",
        "signal.raise_signal(signal.SIGINT)",
        "sys.exit(130)",
        ENVIRONMENT + "test_killed_and_run_again",
        why="a shell takes that for a program that has dealt with Ctrl-C, and goes on",
    ),
    Mutant(
        "pyproject.toml",
        "; sys_platform == 'linux'\"",
        "; sys_platform == 'linux' and platform_machine == 'x86_64'\"",
        ENVIRONMENT + "test_linux_on_arm_gets_cuda_and_an_nvcc_for_it",
    ),
    Mutant(
        "common/__init__.py",
        'missing.append("ninja")',
        "pass",
        ENVIRONMENT + "test_a_lesson_started_by_another_python_says_how_to_start_it",
    ),
    # The compiler.
    Mutant(
        "tools/environment.py",
        'shlex.split(os.environ.get("CXX", "")) or ["c++"]',
        '[os.environ.get("CXX") or "c++"]',
        [
            ENVIRONMENT + "test_a_compiler_of_several_words_and_one_without_any",
            ENVIRONMENT + "test_the_compiler_that_sanitize_asks",
        ],
    ),
    Mutant(
        "common/toolkit.py",
        'if not os.environ.get("CXX", "c++").strip():',
        "if False:",
        FAULTS + "test_a_compiler_of_several_words_and_one_without_any",
    ),
    Mutant(
        "common/cpp_extension.py",
        "shlex.split(compiler) if compiler ==",
        "compiler if compiler ==",
        FAULTS + "test_a_compiler_of_several_words_and_one_without_any",
        why="of torch 2.15 only",
    ),
    Mutant(
        "common/timing.py",
        'if os.environ.get("CHAPTERS_SANITIZE"):',
        'if "CHAPTERS_SANITIZE" in os.environ:',
        "tests/common/test_harness.py::test_under_a_sanitizer_times_mean_nothing_and_are_few",
    ),
    # The toolkit.
    Mutant(
        "common/find_cuda.py",
        "iter(same + major)",
        "iter(major)",
        BUILDS + "test_the_toolkit_of_torchs_own_cuda_version_is_chosen",
    ),
    Mutant(
        "common/toolkit.py",
        "return home and _completed(home)",
        "return home",
        BUILDS + "test_a_toolkit_from_pypi_is_completed_in_build_and_stays_as_it_is",
    ),
    Mutant(
        "common/toolkit.py",
        "COMPLETED / hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:12]",
        "COMPLETED / home.name",
        BUILDS + "test_a_toolkit_from_pypi_is_completed_in_build_and_stays_as_it_is",
        why="links to what another package has added since are missing",
    ),
    # Builds.
    Mutant(
        "common/cpp_extension.py", "torch.__version__, ", "", BUILDS + "test_the_folder_is_one_for_each_kind_of_build"
    ),
    Mutant(
        "common/cpp_extension.py",
        "python, device.type]",
        "python]",
        BUILDS + "test_the_folder_is_one_for_each_kind_of_build",
    ),
    Mutant(
        "common/cpp_extension.py",
        "[shlex.quote(flag) if",
        "[flag if",
        FAULTS + "test_a_folder_with_blanks_and_other_letters",
    ),
    Mutant(
        "common/progress.py",
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        FAULTS + "test_two_at_once",
    ),
    Mutant(
        "common/progress.py",
        "elif issubclass(kind, KeyboardInterrupt):",
        "elif False:",
        FAULTS + "test_interrupted_while_building",
    ),
    Mutant("common/progress.py", '.replace(".cuda", ".cu")', "", BUILDS + "test_an_object_is_named_by_its_source"),
    Mutant(
        "common/progress.py",
        "[entry for entry in _made(folder) if entry not in before]",
        "_made(folder)[len(before) :]",
        BUILDS + "test_build_shows_the_file_and_its_time_then_that_nothing_changed",
        why="ninja shortens its log now and then",
    ),
]
