"""Finds what nvcc refuses and C++ does not: a kernel that calls a host function of the same file, and a launch of one.

These are mistakes that people make: they forget a __device__ or a __global__. The search keeps quiet in doubt: where #if or
a macro may decide which side a function is for, where a name has two meanings or is one of CUDA's, in __host__ __device__
functions (nvcc only warns there). It does not find methods, functions of headers and host variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .tokens import Tokens

ERROR = r'_Pragma("GCC error \"{}() lacks {}\"") '
DEVICE = "__device__: nvcc does not let device code call it"
GLOBAL = "__global__: nvcc launches nothing else"
NO_HOST_FUNCTIONS = {"__device__", "__global__", "constexpr", "consteval", "operator", "="}
CUDA_HAS = re.compile("(abs|cbrt|ceil|cos|exp|fabs|floor|fma|fmax|fmin|log|max|min|pow|round|rsqrt|sin|sqrt|tanh?)f?")
LINE = re.compile(r"(?:\\\r?\n|[^\n])*\n?")
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)")


class Function(NamedTuple):
    """Its tokens: what stands before the name, what follows up to the {, and the body."""

    words: set[str]
    name: int
    opening: int
    end: int


def without_directives(source: str) -> str:
    """Blanks in place of preprocessor lines, and of what stands between #if and #endif."""
    lines, depth = [], 0
    for line in LINE.findall(source):
        directive = DIRECTIVE.match(line)
        depth += bool(directive and directive[1].startswith("if"))
        lines.append(" " * len(line) if directive or depth else line)
        depth -= bool(directive and directive[1] == "endif")
    return "".join(lines)


def host_calls(t: Tokens, doubtful: set[str]) -> Iterator[tuple[int, str]]:
    """In a text without_directives(): of each such call in a function the first, and all such launches, with what the
    function lacks. `doubtful`: no names of host functions."""
    found = list(functions(t))
    host = {t.text(f.name) for f in found if f.words.isdisjoint(doubtful) and is_for_the_host(t, f)} - doubtful
    for f in found:
        if f.words & {"__global__", "__device__"} and "__host__" not in f.words:
            for name in sorted(host):
                uses = [i for i in range(f.name + 1, f.end) if t.text(i) == name]
                if uses and all(is_call(t, i) for i in uses):
                    yield uses[0], DEVICE
        for i in range(f.opening, f.end):
            if t.is_text(i + 1, "<<<") and t.text(i) in host and t.text(i - 1) not in (".", "->", "::"):
                yield i, GLOBAL


def functions(t: Tokens) -> Iterator[Function]:
    """Those that are defined in namespaces."""
    start = i = 0
    while i < len(t.tokens):
        if t.text(i) in ("(", "["):
            i = t.group_end(i)
        elif t.text(i) in (";", "}"):
            start = i + 1
        elif t.text(i) == "{":
            name = t.declared_name(start)
            words = {t.text(k) for k in range(start, name)}
            if name < i:
                end = t.group_end(i)
                yield Function(words, name, i, end)
                i, start = end, end + 1
            elif words & {"namespace", "extern"}:
                start = i + 1
            else:
                i = t.group_end(i)
        i += 1


def is_for_the_host(t: Tokens, f: Function) -> bool:
    plain = f.words.isdisjoint(NO_HOST_FUNCTIONS) and not any(w.isupper() and len(w) > 1 for w in f.words)
    return plain and t.group_end(f.name + 1) + 1 == f.opening and not CUDA_HAS.fullmatch(t.text(f.name))


def is_call(t: Tokens, i: int) -> bool:
    declares = t.kind(i - 1) == "word" and not t.is_keyword(i - 1)
    return t.is_text(i + 1, "(") and t.text(i - 1) not in (".", "->", "::") and not declares
