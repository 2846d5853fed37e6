"""Small breakages of `cuda-on-cpu` and of what it tells, and the tests that must fail because of each. They need g++."""

from tools.maintain.mutants import Mutant

T = "tests/cuda_on_cpu/test_command.py::test_"
MAIN, PROGRAMS, REPORT = (f"cuda_on_cpu/{name}.py" for name in ("__main__", "programs", "report"))
ERROR_H = "cuda_on_cpu/include/cuda_on_cpu/error.h"
PROGRAM_H = "cuda_on_cpu/include/cuda_on_cpu/program.h"
CHECK = T + "check_shows_what_is_wrong_where_and_which_threads"
SEVERAL = T + "a_program_of_several_files"
CANNOT = T + "what_cannot_be_built"
INSTALLED = "tests/cuda_on_cpu/test_installed.py::test_"
REFUSED = T + "a_launch_that_cuda_refuses"
COUNTED = T + "what_was_launched_is_counted"
INTERRUPTED = T + "an_interrupted_kernel_says_where_it_is"
MODULE, SHOWS = T + "check_of_a_python_module", T + "the_microscope_shows_one_kernel_or_one_line"
ENDS = T + "however_a_program_ends_its_reader_is_told"

MUTANTS = [
    # ---- how a program ends
    Mutant(PROGRAM_H, "terminate_before_ = std::set_terminate(uncaught);", "", f"{ENDS}[exception-wrong]"),
    Mutant(PROGRAM_H, "        fflush(nullptr);  // what the program has printed\n", "", f"{ENDS}[int-wrong]"),
    Mutant(PROGRAM_H, "tell(name, \"\");", "", f"{ENDS}[int-wrong]"),
    Mutant(PROGRAM_H, "        fflush(nullptr);\n        raise", "        raise", f"{ENDS}[abort-wrong]"),
    Mutant(PROGRAM_H, "- 1 - uintptr_t(image.dli_fbase)", "- 64 - uintptr_t(image.dli_fbase)",
           f"{ENDS}[segfault-wrong]"),
    Mutant(PROGRAMS, "if line.rpartition(\":\")[0] in theirs", "", f"{ENDS}[abort-wrong]"),
    Mutant("cuda_on_cpu/include/cuda_on_cpu/launch.h", "        tell(\"found\", error.what());\n", "", CHECK,
           why="a program may catch the exception, and then the check would have found nothing"),
    Mutant(ERROR_H, "    cuda_on_cpu::asked();\n    const", "    const", REFUSED),
    Mutant(PROGRAM_H, 'tell("refused", text);', "", REFUSED),
    Mutant(PROGRAMS, 'if kind == "asked"', 'if kind == "ask"', REFUSED),
    Mutant(REPORT, "status or 1", "status", COUNTED, why="nobody has checked anything"),
    Mutant(REPORT, "len(set(kernels))", "len(kernels)", COUNTED),
    Mutant("cuda_on_cpu/recorder/recorder.cpp", "    note(launch);\n", "", COUNTED),
    Mutant("cuda_on_cpu/microscope.py", "raise wrong or RuntimeError(\"no", "raise RuntimeError(\"no", REFUSED),
    Mutant("cuda_on_cpu/recorder/recorder.cpp", "report ? report : stderr", "stderr", CHECK),
    Mutant("cuda_on_cpu/memory_check.py", '_GCC += ["-fno-partial-inlining"]', "_GCC += []", CHECK),
    Mutant(MAIN, "    except KeyboardInterrupt:", "    except ZeroDivisionError:", T + "an_interrupted_program"),
    Mutant("cuda_on_cpu/recorder/sites.h", "&files, &own_group", "&files, nullptr", INTERRUPTED),
    Mutant(PROGRAM_H, "signal(SIGINT, interrupted) != SIG_ERR", "false", INTERRUPTED),
    Mutant("cuda_on_cpu/include/cuda_on_cpu/launch.h", "        if (Watchdog::is_interrupted()) raise(SIGINT);\n", "",
           INTERRUPTED),
    # ---- of Python modules
    Mutant(MAIN, "in once(found):", "in found:", f"{MODULE}[True]"),
    Mutant(REPORT, "*anywhere.split", "*finding.split", T + "a_mistake_is_said_once"),
    Mutant(MAIN, "return status if status or said and not found and not changed else 1", "return status", f"{MODULE}[True]"),
    Mutant(MAIN, "right(said, status, NO_KERNEL_BUILT)", "right(said, status)", f"{MODULE}[False]"),
    Mutant(PROGRAM_H, "#if defined CUDA_ON_CPU_PROGRAM || defined CUDA_ON_CPU_MEMORY_CHECK", "#ifdef CUDA_ON_CPU_PROGRAM",
           f"{MODULE}[True]"),
    Mutant(MAIN, 'if words[0].endswith(".py")', "if False", CANNOT),
    # ---- what the microscope shows
    Mutant("cuda_on_cpu/microscope.py", "if kernel in row.kernel]", "]", SHOWS),
    Mutant("cuda_on_cpu/microscope.py", "if row.line == line]", "]", SHOWS),
    # ---- what is built
    Mutant(PROGRAMS, 'Path(f"{program}_{i}.cpp")', 'Path(f"{program}_{cus[i].stem}.cpp")', SEVERAL,
           why="two files may have one name"),
    Mutant(PROGRAMS, "Path(word[2:] or after)", "Path(word[2:])", SEVERAL),
    Mutant(PROGRAMS, "_parts(program)):\n            return", "[]):\n            return", SEVERAL),
    Mutant(PROGRAMS, 'digest.update(Path(part).read_bytes() if os.path.exists(part) else b"")', "pass", SEVERAL),
    Mutant(PROGRAMS, 'Path(os.path.abspath(cu)) for cu in cus}', "cu for cu in cus}", CANNOT),
    Mutant(PROGRAMS, '"-std=c++17", *CFLAGS, "-DCUDA_ON_CPU_PROGRAM", f"-I{INCLUDE}", "-pthread", one_error]',
           '"-std=c++17", *CFLAGS, "-DCUDA_ON_CPU_PROGRAM", f"-I{INCLUDE}", "-pthread"]', CANNOT),
    Mutant(PROGRAMS, "    if re.search(r\"undefined (reference", "    if re.search(r\"undefinable (reference", CANNOT),
    Mutant(MAIN, "if not cu.is_file()]:", "if False]:", CANNOT),
    Mutant(PROGRAMS, 'if named := os.environ.get("CXX"):', "if False:", T + "no_compiler"),
    Mutant(PROGRAMS, '"(?m)^(.*?', '"(?m)^none(.*?', CANNOT),
    Mutant(MAIN, "translate.translated(options.cu", "print(options.cu",
           "tests/cuda_on_cpu/test_translate.py::test_command_line"),
    # ---- installed elsewhere
    Mutant("cuda_on_cpu/pyproject.toml", "include/**", "include/*", INSTALLED + "every_file_is_installed"),
    Mutant("cuda_on_cpu/pyproject.toml", "__main__:main", "__main__:run", INSTALLED + "the_command"),
    Mutant("cuda_on_cpu/__init__.py", 'Path.home() / ".cache"', 'Path("/tmp")', INSTALLED + "the_command"),
    Mutant("chapters/03_add2/main.py", "sys.path[:0] = [str(here), str(root)]", "sys.path += [str(here), str(root)]",
           INSTALLED + "in_the_repository_its_own_copy_is_used"),
    # ---- words
    Mutant(REPORT, "    with clock(what, sys.stderr):\n", "    if True:\n", T + "a_terminal_sees_at_once_what_is_built"),
    Mutant(REPORT, '        while True:\n            text', '        while not ended.wait(0.5):\n            text',
           T + "a_terminal_sees_at_once_what_is_built"),
]  # fmt: skip
