"""Small breakages of where lessons find their Python, compiler and toolkit, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

ENVIRONMENT = "tests/tools/test_environment.py::"
BUILDS = "tests/common/test_builds.py::"
FAULTS = "tests/tools/test_faults.py::"

MUTANTS = [
    # Which Python.
    Mutant("tools/environment.py", "prereleases=True", "prereleases=False", ENVIRONMENT + "test_which_torch_fits"),
    Mutant("pyproject.toml", '"torch>=2.11,<2.16"', '"torch>=2.11,<3"', ENVIRONMENT + "test_which_torch_fits"),
    Mutant("tools/environment.py", " and Path(sys.prefix).resolve() != VENV.resolve() and fits(TORCH)",
           " and fits(TORCH)", ENVIRONMENT + "test_an_activated_venv_is_still_looked_after"),
    Mutant("tools/environment.py", 'r"==\\1.*"', 'r">=\\1"',
           ENVIRONMENT + "test_the_oldest_and_the_newest_have_environments_of_their_own"),
    # The making of .venv.
    Mutant("tools/environment.py", 'return "ready" if made_from == wanted else "outdated"', 'return "ready"',
           ENVIRONMENT + "test_made_once_then_mended_or_made_anew"),
    Mutant("tools/environment.py", 'another = os.environ.get("PYTHON") and os', "another = os",
           ENVIRONMENT + "test_made_once_then_mended_or_made_anew"),
    Mutant("tools/environment.py", '        stamp.write_text("")\n', "        stamp.touch()\n",
           ENVIRONMENT + "test_killed_and_run_again",
           why="a .venv that pip was mending when it was killed passes for the one before"),
    Mutant("tools/environment.py", "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)", "pass",
           ENVIRONMENT + "test_one_at_a_time"),
    Mutant("tools/environment.py", ", pass_fds=[lock.fileno()]", "", ENVIRONMENT + "test_one_at_a_time"),
    Mutant("tools/environment.py", "if venv.exists() and not stamp.exists() and any(venv.iterdir()):", "if False:",
           ENVIRONMENT + "test_a_venv_of_the_readers_own_is_not_touched"),
    # The toolkit.
    Mutant("common/find_cuda.py", "iter(same + major)", "iter(major)",
           BUILDS + "test_the_toolkit_of_torchs_own_cuda_version_is_chosen"),
    Mutant("common/toolkit.py", "return home and _completed(home)", "return home",
           BUILDS + "test_a_toolkit_from_pypi_is_completed_in_build_and_stays_as_it_is"),
    Mutant("common/toolkit.py", "COMPLETED / hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:12]",
           "COMPLETED / home.name", BUILDS + "test_a_toolkit_from_pypi_is_completed_in_build_and_stays_as_it_is",
           why="links to what another package has added since are missing"),
    # Builds.
    Mutant("common/cpp_extension.py", "torch.__version__, ", "",
           BUILDS + "test_the_folder_is_one_for_each_kind_of_build"),
    Mutant("common/cpp_extension.py", "python, device.type]", "python]",
           BUILDS + "test_the_folder_is_one_for_each_kind_of_build"),
    Mutant("common/cpp_extension.py", "[shlex.quote(flag) if", "[flag if",
           FAULTS + "test_a_folder_with_blanks_and_other_letters"),
    Mutant("common/progress.py", "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)", "pass",
           FAULTS + "test_two_at_once"),
    Mutant("common/progress.py", '.replace(".cuda", ".cu")', "", BUILDS + "test_an_object_is_named_by_its_source"),
    Mutant("common/progress.py", "[entry for entry in _made(folder) if entry not in before]",
           "_made(folder)[len(before) :]", BUILDS + "test_build_shows_the_file_and_its_time_then_that_nothing_changed",
           why="ninja shortens its log now and then"),
]  # fmt: skip
