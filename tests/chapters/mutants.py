"""What no chapter may lack: breakages that are read from its C++, so that a new chapter has them at once.

Each removes the check of a launch, its stream, the return where there is nothing to do, the check of an argument, the guard,
or the release of Python's lock. The tests of all operators must notice it. The rest is in NN_name/mutants.py.
"""

import re
import runpy

from tests.chapters.opinfo import OPERATORS
from tests.support import CHAPTERS, ROOT
from tools.maintain.mutants import Mutant

LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked"
T, GPU = (f"tests/chapters/{file}.py::test_" for file in ("test_operators", "test_operators_gpu"))
NOTHING, STRIDES = T + "every_rank_and_nothing_in_each_dimension", T + "not_contiguous_is_refused"
BREAKAGES = [  # what becomes what; the test that must fail, and how many GPUs it needs
    (r"^ +CHECK_LAUNCH\(\);\n", "", LAUNCH, 0),
    (r", [\w:]+(\(\))?>>>", ", 0>>>", LAUNCH, 0),
    (r"^    if \([^&\n]* == 0\) return.*\n", "", NOTHING, 0),
    (r"^ +check_input\(.*\n", "", STRIDES, 0),
    (r"^ +check_same\(.*\n", "", T + "another_shape_is_refused", 0),
    (r"_no_gil\(", "(", GPU + "other_threads_run_during_a_long_call", 0),
    (r"^ +const \S*Guard guard\(.*\n", "", GPU + "the_second_gpu_while_the_first_is_current", 2),
]
BINDING = re.compile(r"PYBIND11_MODULE|(STABLE_)?TORCH_LIBRARY")  # their statements say what Python calls a function


def functions(text):
    """(name, begin, end) of all that begins in the first column: functions, classes, macros."""
    begins = [match.start() for match in re.finditer(r"^(?=\w)", text, re.M)]
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        name = re.match(r"(?:struct|class) (\w+)|.*?(\w+)\(|", text[begin:end])
        yield name[1] or name[2] or "", begin, end


def calls(text):
    """(name of a function, the words in it), and (what Python calls it, the words of the statement that says so)."""
    for name, begin, end in functions(text):
        for part in text[begin:end].split(";") if BINDING.match(name) else [text[begin:end]]:
            python = BINDING.match(name) and re.search(r'"(\w+)', part)
            yield python[1] if python else name, {*re.findall(r"\w+", part)}


def standard(folder):
    """The mutants of that chapter. Its own mutants.py may name launchers, ONLY_SAVES_A_LAUNCH: they would be right without the
    return where there is nothing to do."""
    places = [f"{place}*.{end}" for place in ("", "notes/") for end in ("cu", "cpp", "h")]
    files = {file: file.read_text() for pattern in places for file in sorted(folder.glob(pattern))}
    callers = [call for text in files.values() for call in calls(text)]
    main = (folder / "main.py").read_text()
    own = ROOT / "tests" / folder.relative_to(ROOT) / "mutants.py"
    only_saves_a_launch = runpy.run_path(str(own)).get("ONLY_SAVES_A_LAUNCH", ()) if own.exists() else ()

    def operator(name, arguments, file):
        """The operator with these arguments that gets to this function in the fewest calls. Of several variants it is one
        that is built of this very file."""
        names = [name]
        for name in names:
            found = [op for op in OPERATORS if op.path == f"{folder.name}.{name}" and arguments <= {*op.arguments}]
            builds = [re.search(rf"^def {op.build}\(.*?(?=^\S|\Z)", main, re.M | re.S)[0] for op in found]
            if found:
                return next(
                    (op for op, build in zip(found, builds, strict=True) if f'"{file.name}"' in build), found[0]
                )
            names += [caller for caller, words in callers if name in words and caller not in names]
        return None

    for file, text in files.items():
        for pattern, instead, test, gpus in BREAKAGES:
            for match in re.finditer(pattern, text, re.M):
                *_, (name, _, _) = (function for function in functions(text) if function[1] <= match.start())
                words = re.findall(r'"(\w+)', text[text.rindex("\n", 0, match.start() + 1) : match.end()])
                op = operator(words[0], set(), file) if BINDING.match(name) else operator(name, {*words}, file)
                if test != LAUNCH and not op or test == NOTHING and name in only_saves_a_launch:
                    continue
                begin = match.start()
                while text.count(text[begin : match.end()]) > 1:  # with the lines before, it stands there once
                    begin = text.rindex("\n", 0, begin - 1) + 1
                if test == STRIDES and {*words} & op.shapes.keys():  # for these, another shape may be said instead
                    case = f"{T}another_dtype_is_refused[{op}]"
                else:
                    case = f"{test}[{folder.name if test == LAUNCH else op}]"
                before, path = text[begin : match.start()], str(file.relative_to(ROOT))
                yield Mutant(path, before + match[0], before + instead, case, gpus)


MUTANTS = [mutant for folder in CHAPTERS for mutant in standard(folder)]
