"""Makes C++ of a .cu: rewrites what a C++ compiler cannot parse, and nothing else.

    add<<<grid, block>>>(c, a, b)    cuda_on_cpu::launch("add", ... add(p...) ..., grid, block)(c, a, b)
    extern __shared__ float s[];     float* const s = cuda_on_cpu::dynamic_shared();
    static __shared__ float s[32];   __shared__ float s[32]; ... static cuda_on_cpu::SharedVariable ...(s);
                                     (__shared__ becomes `static`, and one is enough)
    __shared__ alignas(16) int i;    alignas(16) __shared__ int i;
    asm("mov.u32 %0, %%smid;" : "=r"(x));    do { ... } while (false): assembly.py and ptx.py have the rest
    function_with_ptx(x);            (cuda_on_cpu::calls("function_with_ptx"), function_with_ptx(x)): callers.py
    params.func = (void*)add;        params.func = (cuda_on_cpu::KernelPointer)add;
    while (*flag == 0);              while (*flag == 0) cuda_on_cpu::spin();
    __cluster_dims__(2) ... {        ... { cuda_on_cpu::cluster_dims(2);
    x.is_cuda()                      x.is_cpu(): torch_names.py has the rest; the only change in a .cpp

LAUNCH below and include/cuda_on_cpu/launch.h have what `...` stands for.

Lines stay where they are, so that compilers, debuggers and sanitizers name lines of the .cu. A header that the .cu includes
and that needs the same is translated into the folder of the result, where the .cu then finds it.

    python3 -m cuda_on_cpu translate in.cu [out.cpp]
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path

from . import assembly, callers, host_calls, lacking, launches, macros, ptx, torch_names
from .tokens import OPENING, Token, Tokens, TranslationError, joined

INCLUDE = re.compile(r"""[ \t]*\#[ \t]*include[ \t]*(?P<mark>["<])(?P<name>[^">\n]+)[">]""", re.MULTILINE)
CONDITION = re.compile(r"^[ \t]*\#[ \t]*(?:else|elif|endif)\b(?:\\\r?\n|[^\n])*\n", re.MULTILINE)
# What there may be to translate. Most headers have nothing of it.
INTERESTING = re.compile(
    r"<<[ \t]*<|\b(__global__|__device__|__shared__|__constant__|__managed__|asm|__asm|__asm__|"
    r"is_cuda|kCUDA|CUDA|checkAllSameGPU)\b"
)
# What only nvcc defines, and only for a .cu: the language is CUDA C++, for a GPU such as the H200. __CUDA_ARCH__ stands for
# device code; here host code sees it as well, for a function is compiled once. Without it, kernels of which `#if` leaves
# the body to newer GPUs would do nothing. __NVCC__ is the compiler's own name: it stays undefined.
LANGUAGE = "#define __CUDACC__ 1\n#define __CUDA_ARCH__ 900\n"
# The kernel as a function that takes any arguments: so templates, overloads and pointers to functions are resolved as
# C++ always does it, and the compiler can inline the kernel into the loop over threads. The second function gives the
# kernel's address, if its name stands for a single function. The parameter has an odd name, because the kernel's name
# may contain a local variable.
LAUNCH = (
    "cuda_on_cpu::launch(CUDA_ON_CPU_NAME({kernel}), [=](const auto&... cuda_p_) "
    "CUDA_ON_CPU_UNRECORDED {{ {kernel}(cuda_p_...); }}, "
    "[=](auto cuda_f_) -> decltype(cuda_f_({kernel})) {{ return cuda_f_({kernel}); }}, "
)
ALIGNMENTS = {"__align__", "alignas"}
STATIC_WORDS = {"__shared__", "__constant__", "__managed__"}  # macros that begin with `static`
# So that the shared memory of several blocks that are alive can be told apart: include/cuda_on_cpu/resident.h.
SHARED = " [[maybe_unused]] static cuda_on_cpu::SharedVariable cuda_on_cpu_{paste}{name}({name})"
SPIN = "cuda_on_cpu::spin()"

INITIALISED = '; static_assert(false, "__shared__ memory has no initialiser in CUDA: write to it in the kernel")'


class Translator(Tokens):
    def __init__(
        self, source: str, filename: str, included: Sequence[macros.Macro] = (), with_ptx: Set[str] = frozenset()
    ):
        super().__init__(source, filename)
        self.included, self.with_ptx = included, with_ptx  # the macros of its headers, and the functions that have PTX
        self.edits: list[tuple[int, int, str]] = []  # (start, end, new text)
        self.shared_words = {"__shared__"}  # and macros that stand for it
        asm = {k + 1 for k in range(len(self.tokens)) if self.text(k) in assembly.ASM}
        self.has_volatile = any(t.text == "volatile" and k not in asm for k, t in enumerate(self.tokens))
        self.kernels = self.names_declared("__global__")
        self.refused: set[str] = set()  # what of lacking.py has its error
        self.headers = {"cuda_runtime.h"}  # that the result needs
        self.first = ""  # what the result begins with
        self.dynamic: set[tuple[str, str]] = set()  # namespaces and names of `extern __shared__` outside of functions

    def run(self) -> None:
        """Finds what has to change in a .cu, or in a header that it includes."""
        self.names_of_torch()
        self.assembly()
        for i, token in enumerate(self.tokens):
            if token.text == "<<<" and not self.is_text(i - 1, "operator"):
                self.launch(i)
            elif token.text in STATIC_WORDS:
                self.variable(i)
            elif token.text in ("while", "do", "for"):
                self.loop(i)
            elif token.text == "__cluster_dims__":
                self.cluster(i)
            elif token.kind == "word" and (lacks := self.not_covered(i)):
                self.refuse(i, lacks)
            elif token.text == "void" and self.is_text(i + 1, "*"):
                self.cast(i)
            if token.text in self.shared_words:
                self.shared_variables(i)
        self.refuse_host_calls()
        headers = "".join(f"#include <{header}>\n" for header in sorted(self.headers, reverse=True))
        self.first = headers + LANGUAGE

    def run_cpp(self) -> None:
        """The same for a .cpp, which is C++ as it stands, and for the headers that it includes."""
        self.names_of_torch()

    def result(self, includes: dict[str, str]) -> str:
        """The text with what run() found. `includes`: what becomes of the names in #include "..." and <...>."""
        parts, position = [], 0
        for start, end, text in sorted([*self.edits, *self.renamed_includes(includes)]):
            parts += self.source[position:start], text
            position = end
        parts.append(self.source[position:])
        name = self.filename.replace("\\", "\\\\").replace('"', '\\"')
        return f'{self.first}#line 1 "{name}"\n{"".join(parts)}'

    def renamed_includes(self, includes: dict[str, str]) -> Iterator[tuple[int, int, str]]:
        for before, token in zip(self.tokens, self.tokens[1:], strict=False):
            if (before.text, token.text) == ("#", "include"):
                directive = INCLUDE.match(self.source, before.start)
                if directive and directive["name"] in includes:
                    yield directive.start("name") - 1, directive.end(), f'"{includes[directive["name"]]}"'

    def names_of_torch(self) -> None:
        for first, last, text in torch_names.renamed(self):
            self.replace(self.tokens[first].start, self.tokens[last].end, text)

    def assembly(self) -> None:
        replaced = list(assembly.replaced(self, self.included))
        for first, last, text in replaced:
            self.replace(self.tokens[first].start, self.tokens[last].end, text)
            if ptx.NAMESPACE in text:
                self.headers.add("cuda_on_cpu/ptx.h")
        for first, last, name in callers.marked(self, callers.with_ptx(self, self.included) | self.with_ptx):
            if not any(begin <= first <= end for begin, end, _ in replaced):
                self.insert(self.tokens[first].start, f'(cuda_on_cpu::calls("{name}"), ')
                self.insert(self.tokens[last].end, ")")

    # ---- kernel<<<config>>>(arguments) ------------------------------------------------------------------------------

    def launch(self, i: int) -> None:
        """The token i is a <<<."""
        start = launches.kernel_start(self, i)
        close = launches.closing(self, i)
        if not self.is_text(close + 3, "("):
            raise self.error(close, "expected ( and the kernel's arguments after >>>")
        self.replace(self.tokens[start].start, self.tokens[i].end, LAUNCH.format(kernel=joined(self.tokens[start:i])))
        self.replace(self.tokens[close].start, self.tokens[close + 2].end, ")")

    # ---- (void*)kernel -----------------------------------------------------------------------------------------------

    def cast(self, i: int) -> None:
        """The tokens i and i + 1 are void*. A cast of a kernel's name says which kernel it is; a void* would not."""
        first = i - 1 if self.is_text(i - 1, "const") else i
        end = i + 2 if self.is_text(i + 2, "const") else i + 1
        if (self.text(first - 1), self.text(end + 1)) == ("(", ")"):  # (void*)kernel
            name = end + 2
        elif (
            self.text(first - 2) == "reinterpret_cast" and self.text(end + 2) == "("
        ):  # reinterpret_cast<void*>(kernel)
            name = end + 3
        else:
            return
        if self.is_text(name, "&") or self.is_text(name, "("):
            name += 1
        while self.is_text(name + 1, "::"):
            name += 2
        if self.text(name) in self.kernels and not self.is_text(name + 1, "("):
            self.replace(self.tokens[first].start, self.tokens[end].end, "cuda_on_cpu::KernelPointer")
            if self.text(first - 2) == "reinterpret_cast":
                self.replace(self.tokens[first - 2].start, self.tokens[first - 2].end, "static_cast")

    # ---- variables --------------------------------------------------------------------------------------------------

    def variable(self, i: int) -> None:
        """The token i is __shared__ or another word that stands for `static`."""
        first = self.declaration_start(i)
        last = i
        while self.kind(last + 1) == "word":
            last += 1
        words = range(first, last + 1)
        extern = [k for k in words if self.text(k) == "extern"]
        if extern and self.tokens[i].text == "__shared__":
            self.dynamic_shared(extern[0])
            return
        if self.tokens[i].text == "__shared__":
            self.refuse_initialiser(last)
        for k in words:
            if self.text(k) == "static":
                self.replace(self.tokens[k].start, self.tokens[k].end, " " * len("static"))
            elif self.text(k) == "alignas" and k > i:  # C++ wants it in front
                end = self.group_end(k + 1)
                self.edits.append((self.tokens[first].start,) * 2 + (joined(self.tokens[k : end + 1]) + " ",))
                self.replace(self.tokens[k].start, self.tokens[end].end, "")

    def refuse_initialiser(self, i: int) -> None:
        """Shared memory has no first value, and nvcc refuses one. The token i is the last word before the declarators."""
        while self.text(i) not in (";", "", "#"):
            text = self.text(i)
            braces = text == "{" and (self.kind(i - 1) == "word" or self.is_text(i - 1, "]"))
            braces = braces and not {self.text(i - 1), self.text(i - 2)} & {"struct", "union", "class"}
            if braces or (text == "=" and "=" not in (self.text(i - 1), self.text(i + 1))):
                end = i
                while self.text(end) not in (";", ""):
                    end = self.group_end(end) + 1 if self.text(end) in OPENING.values() else end + 1
                self.replace(self.tokens[i].start, self.tokens[min(end, len(self.tokens) - 1)].start, INITIALISED)
                return
            if text in OPENING:
                return
            i = self.group_end(i) + 1 if text in OPENING.values() else i + 1

    def declaration_start(self, i: int) -> int:
        """The first of the words and alignments before the token i."""
        while True:
            if self.text(i - 1) == ")" and self.text(start := self.group_start(i - 1) - 1) in ALIGNMENTS:
                i = start
            elif self.kind(i - 1) == "word" and not self.is_keyword(i - 1) and not self.is_text(i - 2, "define"):
                i -= 1
            else:
                return i

    def dynamic_shared(self, start: int) -> None:
        """extern __shared__ T name[]; becomes T* const name = ...; the order of the words before the name is free."""
        kept: list[Token] = []
        i = start
        while not self.is_text(i, "["):
            text = self.text(i)
            if text in ("", ";", "{", "}", "=", ",") and not self.inside_angles(kept):
                raise self.error(start, "expected extern __shared__ T name[];")
            if text in ALIGNMENTS:  # the memory is aligned to 1024 bytes
                i = self.group_end(i + 1)
            elif text not in ("extern", "__shared__"):
                kept.append(self.tokens[i])
            i += 1
        dimensions = i + 2
        end = dimensions
        while self.is_text(end, "["):
            end = self.group_end(end) + 1
        if not self.is_text(i + 1, "]") or not self.is_text(end, ";") or len(kept) < 2 or kept[-1].kind != "word":
            raise self.error(start, "expected extern __shared__ T name[]; with one array only")
        if (scope := self.namespace(start)) is not None:
            if (scope, kept[-1].text) in self.dynamic:  # declared once more; a definition can stand only once
                return self.replace(self.tokens[start].start, self.tokens[end].end, "")
            self.dynamic.add((scope, kept[-1].text))
        rest = joined(self.tokens[dimensions:end])
        name = f"(*const {kept[-1].text}){rest}" if rest else f"* const {kept[-1].text}"
        kind = joined(kept[:-1])
        new = f"[[maybe_unused]] {kind}{' ' if rest else ''}{name} = cuda_on_cpu::dynamic_shared()"
        self.replace(self.tokens[start].start, self.tokens[end].start, new)

    def namespace(self, i: int) -> str | None:
        """The namespace that the token i stands in; None in a function or a class."""
        name, closed = "", 0
        for k in range(i - 1, -1, -1):
            closed += (self.text(k) == "}") - (self.text(k) == "{")
            if closed < 0:
                closed, first = 0, k
                while first > 0 and self.text(first - 1) not in (";", "{", "}"):
                    first -= 1
                if "namespace" not in [self.text(j) for j in range(first, k)]:
                    return None
                name = f"{joined(self.tokens[first:k])} {name}"
        return name

    @staticmethod
    def inside_angles(tokens: list[Token]) -> bool:
        texts = [t.text for t in tokens]
        return texts.count("<") > texts.count(">")

    def shared_variables(self, i: int) -> None:
        """The token i is __shared__: registers what is declared, after the declaration."""
        macro = self.macro_end(i)
        if macro == self.tokens[i].end:  # #define SHARED __shared__
            self.shared_words.add(self.text(i - 1))
        if macro == self.tokens[i].end or any(self.text(k) == "extern" for k in range(self.declaration_start(i), i)):
            return
        names, name, angles = [], "", 0
        k = i + 1
        while self.text(k) not in (";", "") and not (macro and self.tokens[k].start >= macro):
            angles += (self.text(k) == "<") - (self.text(k) == ">")
            if self.kind(k) == "word" or self.is_text(k, "##"):
                if self.text(k) == "extern":
                    return
                pasted = self.is_text(k, "##") or self.is_text(k - 1, "##")
                name = name + self.text(k) if pasted else self.text(k)
            elif self.text(k) == "[" and angles == 0:
                names.append(name)
                k = self.group_end(k)
                while self.is_text(k + 1, "["):
                    k = self.group_end(k + 1)
                name = ""
            elif self.text(k) in OPENING.values():
                k = self.group_end(k)
            elif self.text(k) == "," and angles == 0:
                names.append(name)
                name = ""
            k += 1
        names.append(name)
        new = ";".join(SHARED.format(name=name, paste="##" if macro else "") for name in names if name)
        if self.is_text(k, ";") and not (macro and self.tokens[k].start >= macro):
            self.insert(self.tokens[k].end, new + ";")
        elif macro:  # the ; is after the macro's use
            self.insert(self.tokens[k - 1].end, ";" + new)

    # ---- loops that may wait for another thread's write ----------------------------------------------------------------

    def loop(self, i: int) -> None:
        """The token i is while, do or for. In a loop without a body, and in a file with a volatile variable in any that
        does not count, another thread must have its turn."""
        if not self.is_device_code(i):
            return
        body = i + 1
        if self.is_text(body, "("):
            body = self.group_end(body) + 1
        counts = self.is_text(i, "for") and not (self.is_text(body - 2, ";"))
        if self.is_text(i, "do"):
            if self.is_text(body, "{") and self.has_volatile:
                self.insert(self.tokens[body].end, f" {SPIN};")
        elif self.is_text(body, ";") and not counts and not self.ends_do(i):
            self.insert(self.tokens[body].start, f" {SPIN}")
        elif self.is_text(body, "{") and not counts and (self.has_volatile or self.is_text(body + 1, "}")):
            self.insert(self.tokens[body].end, f" {SPIN};")

    def ends_do(self, i: int) -> bool:
        """Whether the while at the token i belongs to a do."""
        if self.is_text(i - 1, "}"):
            return self.is_text(self.group_start(i - 1) - 1, "do")
        k = i - 2
        while k >= 0 and self.text(k) not in (";", "{", "}", "do"):
            k -= 1
        return self.is_text(i - 1, ";") and self.is_text(k, "do")

    # ---- what is not covered as a whole ------------------------------------------------------------------------------------

    def not_covered(self, i: int) -> str | None:
        """What the word at the token i needs that is lacking, unless that has its error."""
        name = self.text(i)
        lacks = lacking.lacking_name(name)
        if self.is_text(i - 1, "::"):
            lacks = lacks or lacking.lacking_name(f"{self.text(i - 2)}::{name}")
        return None if lacks in self.refused else lacks

    def refuse(self, i: int, lacks: str) -> None:
        """The token i needs what is lacking. No directive may stand in a macro, or among a macro's arguments."""
        if self.macro_end(i):
            return
        self.refused.add(lacks)
        outermost = i
        for k in range(i - 1, -1, -1):
            if self.text(k) in (";", "{", "}"):
                break
            if self.text(k) == "(":
                outermost = k
        line = self.source.count("\n", 0, self.tokens[i].start) + 1
        start = self.source.rfind("\n", 0, self.tokens[outermost].start) + 1
        first = line - self.source.count("\n", start, self.tokens[i].start)
        self.insert(start, f'#line {line}\n#include "{lacking.SAID.format(lacks)}"\n#line {first}\n')
        for end in CONDITION.finditer(self.source, start):  # where #if has left out this and the #line after it
            self.insert(end.end(), f"#line {self.source.count(chr(10), 0, end.end()) + 1}\n")

    # ---- clusters ----------------------------------------------------------------------------------------------------------

    def cluster(self, i: int) -> None:
        """The token i is __cluster_dims__, of a kernel."""
        if self.macro_end(i) or not self.is_text(i + 1, "("):
            return
        end = self.group_end(i + 1)
        k = end + 1
        while self.text(k) not in ("{", ""):
            if self.is_text(k, ";"):
                raise self.error(
                    i, "__cluster_dims__ at a declaration: write it at the kernel's definition, and only there"
                )
            k = self.group_end(k) + 1 if self.is_text(k, "(") else k + 1
        size = joined(self.tokens[i + 1 : end + 1])
        self.replace(self.tokens[i].start, self.tokens[end].end, "")
        self.insert(self.tokens[k].end, f" cuda_on_cpu::cluster_dims{size};")

    # ---- host functions in kernels -----------------------------------------------------------------------------------

    def refuse_host_calls(self) -> None:
        doubtful = self.names_declared("__global__", "__device__", "constexpr", "consteval")
        doubtful |= set(re.findall(r"#[ \t]*define[ \t]+(\w+)", self.source))
        plain = Tokens(host_calls.without_directives(self.source), self.filename)
        try:
            calls = list(host_calls.host_calls(plain, doubtful))
        except TranslationError:  # a brace is missing, perhaps because #if and #else open one each
            return
        for i, said, directive in calls:
            quoted = said.replace('"', r"\\\"")  # within two pairs of quotes
            self.insert(plain.tokens[i].start, directive.format(quoted))

    # ---- tools ------------------------------------------------------------------------------------------------------

    def replace(self, start: int, end: int, text: str) -> None:
        """Line ends in the old text (in a macro with their backslash) are put after the new text, so that no line moves."""
        line_ends = re.findall(r"\\?\r?\n", self.source[start:end])
        self.edits.append((start, end, text + "".join(line_ends)))

    def insert(self, position: int, text: str) -> None:
        self.edits.append((position, position, text))


def translate(source: str, filename: str) -> str:
    """The C++ of a .cu's text. `filename` is how compilers will name it."""
    return translated_alone(source, filename, (), frozenset(), Translator.run).result({})


@functools.lru_cache(64)  # the files of a chapter include the same headers
def translated_alone(
    source: str, filename: str, included: tuple[macros.Macro, ...], with_ptx: frozenset[str], run: Callable
) -> Translator:
    """A Translator that has run, with its includes as they were."""
    translator = Translator(source, filename, included, with_ptx)
    run(translator)
    return translator


def translate_file(cu: Path, out: Path, folders: Sequence[Path] = (), first: str = "") -> list[Path]:
    """Translates a file, and headers of these folders that it includes. Returns all that it has read.

    `first` begins the result. A result that is as before is not written again: ninja would compile it again. In a .cpp
    only names of torch change.
    """
    cu, out = Path(os.path.abspath(cu)), Path(os.path.abspath(out))
    run = Translator.run if cu.suffix == ".cu" else Translator.run_cpp
    files = Files(cu, folders, run)
    results = {file: out if file == cu else out.with_name(f"{digest(file)}_{file.name}") for file in files.translated()}
    for file, result in results.items():
        includes = {name: str(results[used]) for name, used in files.includes[file].items() if used in results}
        if file != cu:  # it has left the folder where its own headers lie
            includes = {name: str(used) for name, used in files.includes[file].items()} | includes
        includes |= files.refused[file]
        write(result, first * (file == cu) + files.translator(file).result(includes))
    return list(files.texts)


def translated(cu: Path, folders: Sequence[Path] = ()) -> str:
    """The C++ of one file, whose headers stay as they are."""
    files = Files(cu := Path(os.path.abspath(cu)), folders, Translator.run)
    return files.translator(cu).result(files.refused[cu])


def names_cuda(cpp: Path, folders: Sequence[Path]) -> bool:
    """Whether a .cpp, or a header of these folders that it includes, names CUDA to torch."""
    files = Files(cpp, folders, Translator.run_cpp)
    return any(map(files.changes, files.texts))


class Files:
    """A .cu and the headers that it includes: by their own, and by the headers' includes. `run` translates them."""

    def __init__(self, cu: Path, folders: Sequence[Path], run: Callable):
        self.run = run
        self.folders = [Path(os.path.abspath(folder)) for folder in folders]
        self.texts: dict[Path, str] = {}
        self.macros: dict[Path, list[macros.Macro]] = {}
        self.functions: dict[Path, set[str]] = {}  # of headers, those that have PTX
        self.includes: dict[Path, dict[str, Path]] = {}
        self.refused: dict[Path, dict[str, str]] = {}  # of the other includes those that have to fail: with what words
        self.cu, new = cu, [cu]
        while new:
            file = new.pop()
            self.texts[file] = read(file)
            self.macros[file] = macros.definitions(self.texts[file])
            self.includes[file] = dict(self.find(file, *match.group("mark", "name")) for match in self.directives(file))
            self.includes[file].pop("", None)
            others = {match["name"] for match in self.directives(file)} - self.includes[file].keys()
            self.refused[file] = {name: lacking.SAID.format(name) for name in others if lacking.lacks_header(name)}
            new += {used for used in self.includes[file].values() if used not in self.texts and used not in new}

    def directives(self, file: Path) -> Iterator[re.Match]:
        return INCLUDE.finditer(self.texts[file])

    def find(self, file: Path, mark: str, name: str) -> tuple[str, Path]:
        for folder in [file.parent] * (mark == '"') + self.folders:
            if (found := Path(os.path.abspath(folder / name))).is_file():
                return name, found
        return "", file

    def changes(self, file: Path) -> bool:
        """Whether a translation changes this file by itself."""
        return bool(self.refused[file] or (INTERESTING.search(self.texts[file]) and self.translator(file).edits))

    def translator(self, file: Path) -> Translator:
        headers = self.headers(file)
        known = [macro for header in headers for macro in self.macros[header]]
        with_ptx = frozenset().union(*map(self.with_ptx, headers))
        return translated_alone(self.texts[file], str(file), tuple(known), with_ptx, self.run)

    def headers(self, file: Path) -> list[Path]:
        """All that the file includes, and what they include."""
        seen, left = {file}, [file]
        while left:
            new = set(self.includes[left.pop()].values()) - seen
            seen |= new
            left += new
        return sorted(seen - {file})

    def with_ptx(self, header: Path) -> set[str]:
        """The functions of a header that have PTX."""
        if header not in self.functions:
            known = [macro for other in self.headers(header) for macro in self.macros[other]]
            self.functions[header] = callers.with_ptx(Tokens(self.texts[header], str(header)), known)
        return self.functions[header]

    def translated(self) -> list[Path]:
        """The .cu, the headers that need it, and those that include one of these."""
        found = {self.cu, *filter(self.changes, self.texts)}
        while more := {
            f for f, used in self.includes.items() if f not in found and not found.isdisjoint(used.values())
        }:
            found |= more
        return [file for file in self.texts if file in found]


def digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8]


def write(out: Path, text: str) -> None:
    if out.exists() and read(out) == text:
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_name(f"{out.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    temporary.replace(out)  # all at once: a compiler that starts now reads no half file


def read(path: Path) -> str:
    """The text as it is: no line ending changes, and bytes that are not UTF-8 survive."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def translate_for_make(cu: Path, out: Path, folders: Sequence[Path], depfile: Path | None) -> None:
    """translate_file(), and which files it has read, for make and ninja."""
    used = translate_file(cu, out, folders)
    if depfile:
        names = " ".join(str(file).replace(" ", "\\ ") for file in used)
        write(depfile, f"{out}: {names}\n")
