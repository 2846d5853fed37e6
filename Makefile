# Each target first asks tools/environment.py for a Python that has what it needs: $(PYTHON) where that has torch, else
# the one in .venv, which the first `make` sets up. `make` alone prints the chapters and the lines that start with ##, `make
# help` also those that start with #:.

# A number means a lesson, FILE a program of the reader's own.
ifeq ($(origin FILE),command line)
$(foreach goal,$(filter %0 %1 %2 %3 %4 %5 %6 %7 %8 %9,$(MAKECMDGOALS)),$(error make $(goal) is about a lesson, and FILE about a program of yours: leave out the number or FILE))
endif

# What a reader passes reaches the shell through its environment, never as text of a recipe: so no quote and no $(...) in
# it is a command. `value` keeps make from reading it as well.
$(foreach name,PYTHON ARGS FILE NAME OUT,$(if $(value $(name)),$(eval export override $(name) := $$(value $(name)))))
MAINS := $(filter chapters/%,$(wildcard chapters/[0-9][0-9]_*/main.py))
MAKEFLAGS += --no-builtin-rules
export CUDA_ON_CPU_CACHE ?= $(CURDIR)/build/cuda_on_cpu
NUMBERS := $(sort $(foreach main,$(MAINS),$(word 2,$(subst /, ,$(subst _, ,$(main))))))

# $(call python,lesson|test|lint) sets the shell's variable of that name, or ends the recipe.
named = command -v "$${PYTHON:=python3}" >/dev/null || { echo "PYTHON=$$PYTHON: no such program" >&2; exit 1; }
python = $(named); python=$$("$$PYTHON" tools/environment.py --for $(1))
# The words of ARGS follow those of the command.
run = "$$python" -m tools.run

# $(call tests,OPTIONS) runs pytest, in a process a core: on the GPU where there is one, then the same without it. The
# tools do not care; status 5 says that there was no other test.
pytest = $(run) "$$python" -m pytest -n auto --dist loadgroup --no-loadscope-reorder
tests = $(pytest) $(1); status=$$?; \
	if [ -z "$$CHAPTERS_DEVICE" ] && "$$python" -c "import sys, torch; sys.exit(not torch.cuda.is_available())"; then \
		echo "That was on the GPU. The same without it:"; \
		CHAPTERS_DEVICE=cpu $(pytest) $(1) --ignore tests/tools || [ $$? = 5 ] || status=1; \
	fi; \
	exit $$status

overview:
	@for main in chapters/[0-9][0-9]_*/main.py; do \
		[ -f "$$main" ] || continue; \
		number=$${main#chapters/}; title=$$(sed -n '1s/^"""Chapter [0-9]*, //p' "$$main"); \
		printf 'make chapter%s      %s\n' "$${number%%_*}" "$$title"; \
	done
	@echo; sed -n 's/^## //p' Makefile
help: overview
	@echo; sed -n 's/^#: //p' Makefile

## make chapter03      build, check and time a lesson;  ARGS=--help shows its options
$(NUMBERS:%=chapter%): chapter%:
	@{ $(call python,lesson) && $(run) "$$python" chapters/$*_*/main.py; } || \
	{ status=$$?; "$$PYTHON" -m tools.doctor --short >&2; exit $$status; }

## make exercise       sets the next task, and checks what you write;  make exercise03.2 sets that one
## make watch          the same, and checks again whenever you save;  make hint helps;  make exercises shows how far you are
#: make solution03.2   a solution beside your files;  make reset03.2 starts anew;  make exercise03 lists a chapter's exercises
grade = $(call python,lesson) && $(run) "$$python" -m grader $(1) '$(or $(2),next)'
exercises:
	@$(call python,lesson) && "$$python" -m grader
exercise%:
	@$(call grade,,$*)
hint%:
	@$(call grade,--hint,$*)
watch%:
	@$(call grade,--watch,$*)
solution%:
	@$(call grade,--solution,$*)
reset%:
	@$(call grade,--reset,$*)
# `make exercise 03.2` is `make exercise03.2`: its second word makes nothing.
EXERCISING := exercise hint watch solution reset
SECOND := $(if $(filter $(firstword $(MAKECMDGOALS)),$(EXERCISING)),$(filter 0% 1% 2% 3% 4% 5% 6% 7% 8% 9%,$(word 2,$(MAKECMDGOALS))))
$(EXERCISING):
	@$(call grade,$(filter-out --exercise,--$@),$(SECOND))
ifneq ($(SECOND),)
$(SECOND):
	@:
endif

## make test           whether the lessons work on this machine: 5 minutes on 2 cores, then 2;  make test03 tests one chapter;
##                     ARGS='-k add2 -x' goes to pytest
test:
	@$(call python,test) && $(call tests,-m 'not thorough')

$(NUMBERS:%=test%): test%:
	@$(call python,test) && $(call tests,--chapter $*)

## make doctor         what on this machine keeps lessons from running, and the command that fixes it
doctor:
	@$(named); "$$PYTHON" -m tools.doctor

## make editor         lets clangd (in VS Code, vim, ...) understand every .cu, .cpp and .h: takes seconds, builds nothing
editor:
	@$(call python,lesson) && "$$python" -m tools.editor

## make new NAME=rope  a chapter of your own;  make new NAME=rope OUT=../rope  a package of its own
new:
	@[ -n "$$NAME" ] || { echo "make new NAME=rope makes a chapter; with OUT=../rope a package of its own" >&2; exit 2; }; \
	$(call python,test) && "$$python" -m tools.new "$$NAME" $${OUT:+"$$OUT"}

## make run FILE=x.cu  a CUDA program of your own, without a GPU;  make memcheck FILE=x.cu finds its races,
##                     make microscope FILE=x.cu shows what each line asks of memory
##                     ARGS are the program's, or the microscope's (ARGS='--kernel sum --picture 6')
## make memcheck03     the races of a lesson;  make microscope03 its use of memory;  make sanitize03 accesses outside of arrays
# FILE is one file, or several between blanks.
# A lesson's .cu has no main().
own = $(named); [ -n "$$FILE" ] || { echo "$(2)" >&2; exit 2; }; python=$$PYTHON; \
	case "$$FILE" in chapters/[0-9][0-9]_*.cu) echo "$$FILE is part of a lesson: $(2)" >&2; exit 2;; esac; \
	set -f; if [ -f "$$FILE" ]; then set -- "$$FILE"; else set -- $$FILE; fi; exec $(run) "$$PYTHON" -m cuda_on_cpu $(1) "$$@"
run:
	@$(call own,run,make run FILE=x.cu runs a CUDA program of yours; make chapter03 runs a lesson)
memcheck:
	@$(call own,check,make memcheck03 checks a lesson; make memcheck FILE=x.cu a CUDA program of yours)
microscope:
	@$(call own,microscope,make microscope03 shows a lesson; make microscope FILE=x.cu a CUDA program of yours)

#: make setup          only prepare: find a Python that has torch, or make .venv
setup:
	@$(call python,test) && echo "Ready: $$python"

#: make test-all       all tests, also those of packaging, planted faults, and the tools that maintain the repository
test-all:
	@$(call python,test) && $(call tests,)

# What test-all adds to test.
test-rest:
	@$(call python,test) && $(call tests,-m thorough)

#: make mutants        break the code in small ways and see the tests fail;  ARGS='03_add2 common' takes these folders only
mutants:
	@$(call python,test) && $(run) "$$python" -m tools.maintain.mutants

#: make test-versions  run the tests with the oldest, then with the newest versions that pyproject.toml allows; 12 GB
test-versions: test-oldest test-newest
test-oldest test-newest: test-%:
	@$(call python,test --versions $*) && $(pytest)

#: make cmake          the C++ side by CMake: configure, build, and ctest
cmake:
	@$(call python,test) && PATH="$$(dirname "$$python"):$$PATH" && \
	cmake -S . -B build/cmake -DPython_EXECUTABLE="$$python" && cmake --build build/cmake && \
	$(run) ctest --test-dir build/cmake --output-on-failure

# $(call cpp,OPTIONS) runs clang-format on all C++ that git knows or would add. ruff finds its files itself. White space is
# compared with an empty tree, so that git looks at every line; matplotlib writes the SVGs.
cpp = git ls-files -z --cached --others --exclude-standard '*.h' '*.cuh' '*.cu' '*.cpp' | \
	xargs -0 "$${python%/*}/clang-format" $(1)

#: make lint           ruff, clang-format and white space, checked
lint:
	@$(call python,lint) && { "$$python" -m ruff check --quiet && "$$python" -m ruff format --quiet --diff && \
		$(call cpp,--dry-run -Werror) && git diff --check "$$(git hash-object -t tree /dev/null)" -- ':!*.svg' || \
		{ echo "make format fixes most of this." >&2; exit 1; }; }

#: make format         fix what lint finds, where a tool can
format:
	@$(call python,lint) && "$$python" -m ruff check --quiet --fix --exit-zero && "$$python" -m ruff format --quiet && \
	$(call cpp,-i)

#: make clean          remove build/, which holds all that lessons compile
clean:
	rm -rf build

#: make sanitizeNN     run a chapter on the CPU with AddressSanitizer, which finds reads and writes outside of arrays
$(NUMBERS:%=sanitize%): sanitize%:
	@$(call python,lesson) && $(run) "$$python" -m tools.lesson sanitize chapters/$*_*/main.py

#: make memcheckNN     run a chapter under a race detector on the CPU: data races, uninitialised reads, out-of-bounds accesses
$(NUMBERS:%=memcheck%): memcheck%:
	@$(call python,lesson) && $(run) "$$python" -m tools.lesson memcheck chapters/$*_*/main.py

#: make microscopeNN   run a chapter's kernels on the CPU and show what each line asks of memory;  ARGS='--kernel tile --picture 78'
$(NUMBERS:%=microscope%): microscope%:
	@$(call python,lesson) && $(run) "$$python" -m tools.lesson microscope $*

# What lacks its number ends in one line that says what was meant.
chapter sanitize:
	@[ -z "$$FILE" ] || { echo "make memcheck FILE=$$FILE checks a program of yours" >&2; exit 2; }; \
	echo "make $@ needs a number: make $@03; make lists the chapters" >&2; exit 2
$(filter-out $(SECOND),$(NUMBERS)):
	@echo "make chapter$@ runs that lesson" >&2; exit 2

#: make gpu-sanitize   every kernel under compute-sanitizer's four tools: memcheck, racecheck, initcheck, synccheck
gpu-sanitize:
	@$(call python,test) && $(run) "$$python" -m tools.maintain.gpu_sanitize

#: make counters       read the GPU's counters (ncu) of every kernel that make microscopeNN shows
counters:
	@$(call python,lesson) && $(run) "$$python" -m tools.maintain.counters

#: make planted        count the planted mistakes that the memory check finds, and those that compute-sanitizer finds
planted:
	@$(call python,test) && "$$python" -m tools.maintain.planted

#: make benchNN        measure that chapter on this machine into results/;  make bench  measures all
bench:
	@$(call python,lesson) && "$$python" -m tools.maintain.bench
$(NUMBERS:%=bench%): bench%:
	@$(call python,lesson) && "$$python" -m tools.maintain.bench $*

#: make sweep          every operator beside its peers at random shapes, on a GPU;  ARGS='--chapters 12 13 --seed 7'
sweep:
	@$(call python,lesson) && $(run) "$$python" -m tools.maintain.sweep

# Any other number ends here, and any other word. A folder is there already: make would call it up to date.
run%:
	$(error make chapter$* runs that lesson, make run FILE=x.cu a CUDA program of yours)
chapter% test% sanitize% memcheck% microscope% bench%:
	$(error There is no chapter $*; there are: $(NUMBERS))
FOLDERS := build chapters common cuda_on_cpu device grader results tests tools
.DEFAULT $(FOLDERS):
	$(error There is no command `make $@`; make lists the chapters and the commands)

.PHONY: $(FOLDERS) overview help exercises editor run memcheck microscope new chapter sanitize $(EXERCISING) planted $(NUMBERS) $(NUMBERS:%=test%) setup test test-all test-rest mutants doctor test-versions test-oldest test-newest cmake lint format clean bench sweep gpu-sanitize counters $(NUMBERS:%=chapter%) $(NUMBERS:%=sanitize%) $(NUMBERS:%=memcheck%) $(NUMBERS:%=microscope%) $(NUMBERS:%=bench%)
