"""Small breakages of tools/new.py and its templates, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/tools/test_new.py::test_"
NEW, PACKAGE, CHAPTER = "tools/new.py", "tools/templates/operator", "tools/templates/chapter/chapters/99_my_op"
REFUSED, NAMES = T + "a_bad_name_is_refused_in_one_line", T + "no_file_of_the_package_names_this_repository"
BUILDS = T + "a_new_package_builds_and_passes_its_tests"
WHEEL = T + "the_wheel_is_for_every_python_and_has_what_is_needed"
CHECK, STREAM = (T + f"the_memory_check_finds_a_mistake_in_a_package[{what}]" for what in ("access", "stream"))
TWO = T + "the_worked_change_to_two_tensors"
ROWS = T + "the_worked_change_to_rows"
MASK = T + "the_worked_change_to_a_mask"
NVCC = T + "nvcc_builds_a_new_package_where_there_is_no_cuda_on_cpu"

MUTANTS = [
    Mutant("cuda_on_cpu/__main__.py", "--tb=line ", "", CHECK),
    # ---- what it refuses
    Mutant(NEW, "(_[a-z0-9]+)*", "[_a-z0-9]*", REFUSED),
    Mutant(NEW, " or len(name) > LONGEST", "", REFUSED),
    Mutant(NEW, "if keyword.iskeyword(name)", "if False", REFUSED),
    Mutant(NEW, "if module := importlib.util.find_spec(name)", "if module := None", REFUSED),
    Mutant(NEW, "if (include / f\"{name}.h\").exists()", "if False", REFUSED),
    Mutant(NEW, "if folder.name[3:] == name]", "if folder.name == name]", REFUSED),
    Mutant(NEW, "(out.is_file() or any(out.iterdir()))", "out.is_file()", T + "a_folder_that_has_something_in_it_is_refused"),
    Mutant(NEW, "if not out and (there", "if (there", T + "a_package_may_be_called_like_a_chapter"),
    Mutant(NEW, "out.resolve().is_relative_to(ROOT)", "False", T + "a_package_lies_outside_of_the_repository"),
    # ---- the files
    Mutant(NEW, "LONGEST = 20", "LONGEST = 30", T + "any_name_leaves_the_files_formatted"),
    Mutant(NEW, ".replace('\"common/', '\"')", "", [NAMES, BUILDS]),
    Mutant(NEW, '.replace("chapter99", "my_op")', "", NAMES),
    Mutant(NEW, "place / replaced(str(path))", "place / path", T + "every_template_of_a_chapter_is_filled_in"),
    Mutant(NEW, "int(max(folders())) + 1", "int(max(folders())) + 2",
           T + "a_chapter_gets_the_next_number_and_names_its_commands"),
    Mutant(NEW, "code[\"my_op_kernel.cu\"] = chapter", "code[\"my_op.cu\"] = chapter", NVCC, why="two files my_op.o"),
    # ---- the package
    Mutant(f"{PACKAGE}/setup.py", "    from cuda_on_cpu.torch_extension import", "    from cuda_on_cpu.torch import", BUILDS),
    Mutant(f"{PACKAGE}/setup.py", ' < 77:', ' < 7:', T + "a_new_package_says_that_setuptools_is_too_old"),
    Mutant(f"{PACKAGE}/setup.py", "            py_limited_api=True,", "            #", WHEEL),
    Mutant(f"{PACKAGE}/setup.py", "target, *half]", "target]", NVCC),
    Mutant(f"{PACKAGE}/setup.py", 'cmdclass={"build_ext": Build}', 'cmdclass={"build_ext": BuildExtension}',
           T + "a_compilers_error_is_the_last_that_is_said"),
    Mutant(f"{PACKAGE}/pyproject.toml", 'packages = ["my_op"]', 'packages = []', WHEEL),
    Mutant(f"{PACKAGE}/src/my_op/__init__.py", "grad.contiguous(), ctx", "grad, ctx", BUILDS),
    Mutant(f"{PACKAGE}/src/my_op/__init__.py", "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", BUILDS),
    Mutant(f"{PACKAGE}/.gitignore", "build/\n", "", BUILDS),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", "if is_tensor(x):\n            yield i", "if i == 0:\n            yield i", TWO),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", "        calls |= called.arguments\n", "", TWO),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", "if file.stat().st_mtime > built]", "if False]", TWO),
    Mutant(f"{PACKAGE}/rows.diff", "float(grad[i / n])", "float(grad[i % n])", ROWS),
    Mutant(f"{PACKAGE}/mask.diff", "T(keep[i] ?", "T(!keep[i] ?", MASK),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", 'is_float if what == "dtypes" else is_tensor', "is_tensor", MASK),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", 'is_float if what == "dtypes" else is_tensor', "is_float", MASK),
    # ---- its memory check
    Mutant("cuda_on_cpu/recorder/recorder.cpp", "check.arrays.add(begin, bytes, Place::tensor).margin = margin;", "", CHECK),
    Mutant("cuda_on_cpu/torch_extension.py", 'checked=on_cpu == "check"', "checked=False", CHECK),
    Mutant("cuda_on_cpu/report.py", "digest(Path(name)) != was", "False", CHECK),
    Mutant("cuda_on_cpu/include/cuda_on_cpu/fault.h", "        place_.take();\n", "",
           T + "the_memory_check_finds_a_mistake_in_a_package[wild]"),
    Mutant(f"{PACKAGE}/tests/test_my_op.py", 'setenv("CUDA_ON_CPU_SIDE_STREAM"', 'setenv("A"', STREAM),
    # ---- the C++ of both
    Mutant(f"{CHAPTER}/my_op.cu", "if (i < n) out[i]", "if (i < n - 1) out[i]", BUILDS),
    Mutant(f"{CHAPTER}/my_op.cu", "    if (n == 0) return;", "    //", BUILDS),
    Mutant(f"{CHAPTER}/my_op.cu", "T(factor * float(x[i]))", "T(factor) * x[i]", BUILDS),
    Mutant(f"{CHAPTER}/my_op.cpp", '    check_input(x, "x", FLOATS);\n', "", BUILDS),
]  # fmt: skip
