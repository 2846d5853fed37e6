"""Small breakages of the tools that record, measure and fill in the READMEs, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

DOCS = "tests/tools/test_docs.py::"
BENCH = "tests/tools/test_bench.py::"

MUTANTS = [
    Mutant(
        "tools/maintain/docs.py",
        "sys.exit(bool(stale or pictures))",
        "sys.exit(bool(pictures))",
        f"{DOCS}test_every_difference_is_named_and_mended",
    ),
    Mutant(
        "tools/maintain/tables.py",
        "chapter and name in",
        "chapter or name in",
        f"{DOCS}test_what_is_not_there_yet_is_said",
    ),
    Mutant(
        "tools/maintain/docs.py",
        "if machine == options.record:",
        "if options.record:",
        f"{DOCS}test_runs_are_recorded_from_one_machine",
        why="the figures of one machine under the name of another",
    ),
    Mutant(
        "tools/maintain/docs.py",
        'if done.returncode != 0 and "does not build" not in output:',
        'if "does not build" in output:',
        f"{DOCS}test_runs_are_recorded_from_one_machine",
    ),
    Mutant(
        "tools/maintain/tables.py",
        'if any("gpu" not in measured',
        'if any("tables" not in measured',
        f"{DOCS}test_cpu_times_are_never_shown",
    ),
    Mutant(
        "tools/maintain/tables.py",
        'and row["dtype"] != "float64"',
        "",
        f"{DOCS}test_readmes_are_up_to_date",
    ),
    Mutant(
        "tools/maintain/tables.py",
        'min(intensity * row["copy"]',
        'max(intensity * row["copy"]',
        f"{DOCS}test_readmes_are_up_to_date",
    ),
    Mutant(
        "tools/maintain/drawing.py",
        "file(theme).exists() and stamp in file(theme).read_text()",
        "file(theme).exists()",
        [
            f"{DOCS}test_every_difference_is_named_and_mended",
            f"{DOCS}test_a_diagram_is_drawn_again_when_its_script_changes",
        ],
    ),
    Mutant(
        "tools/maintain/docs.py",
        "text[end][: indent + 1].isspace()",
        "text[end][:1].isspace()",
        f"{DOCS}test_code_is_a_whole_definition",
    ),
    Mutant(
        "tools/maintain/drawing.py",
        "short_hash(file.read_text() + ",
        "short_hash(",
        [
            f"{DOCS}test_a_diagram_is_drawn_again_when_its_script_changes",
            f"{DOCS}test_a_chart_is_drawn_again_when_its_script_changes",
        ],
    ),
    Mutant(
        "tools/maintain/drawing.py",
        'data or defined.get("DATA")',
        "data",
        f"{DOCS}test_the_map_is_drawn_from_the_tracks",
        why="a new chapter would be missing in the map",
    ),
    Mutant("tools/maintain/tables.py", 'if "length" not in row', "", f"{DOCS}test_readmes_are_up_to_date"),
    Mutant(
        "tools/maintain/course.py", "those.index(folder) + 1 :", "1:", f"{DOCS}test_a_chapter_is_where_its_tracks_say"
    ),
    Mutant(
        "tools/chapters.py",
        '.partition("\\n## ")[0]',
        "",
        f"{DOCS}test_the_glossary_has_the_terms_of_all_chapters",
        why="other tables of REFERENCE.md would count as terms",
    ),
    Mutant("tools/maintain/course.py", ", key=str.lower", "", f"{DOCS}test_readmes_are_up_to_date"),
    Mutant("tools/chapters.py", "if track in tracks_of(folder)", "", f"{DOCS}test_a_chapter_is_where_its_tracks_say"),
    Mutant(
        "tools/maintain/bench.py",
        "(json.loads(file.read_text()) if file.exists() else {}) | {name: measured}",
        "{name: measured}",
        [f"{BENCH}test_chapters_are_measured_one_by_one", f"{BENCH}test_a_chapter_that_fails_keeps_its_figures"],
    ),
    Mutant(
        "tools/maintain/bench.py",
        "except (Exception, SystemExit):",
        "except Exception:",
        f"{BENCH}test_a_chapter_that_fails_keeps_its_figures",
    ),
    Mutant(
        "tools/maintain/gpu_sanitize.py",
        '"--error-exitcode", "9"',
        '"--error-exitcode", "0"',
        "tests/tools/test_gpu_sanitize.py::test_a_write_beyond_the_end_is_found",
        gpus=1,
    ),
    Mutant(
        "tools/maintain/planted.py",
        "if complete else",
        "if True else",
        "tests/tools/test_planted.py::test_answers_of_compute_sanitizer",
        why="a kernel that did not run would count as one in which nothing was found",
    ),
    Mutant(
        "tools/maintain/planted.py", "if of == RIGHT]", "if of != RIGHT]", "tests/tools/test_planted.py::test_table"
    ),
    Mutant("tools/maintain/planted.py", "if ours and not theirs", "if ours", "tests/tools/test_planted.py::test_table"),
]
