"""Finds what nvcc refuses and C++ does not. Device code that calls a host function or uses a host variable of the same
file, or an object of the host's library; that throws or catches, or changes threadIdx.
A launch of a host function; a kernel that returns something.

These are mistakes that people make: most often they forget a __device__ or a __global__. The search keeps quiet in doubt:
where #if or a macro may decide which side a function is for, where a name has two meanings or is one of CUDA's, in calls
from __host__ __device__ functions (nvcc only warns there). It does not find methods that are not static, constexpr arrays
(which a constant expression may use), and what headers declare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .tokens import Tokens

ERROR = r'_Pragma("GCC error \"{}\"") '
UNTIL_CPP20 = ERROR.replace("_Pragma", "CUDA_ON_CPU_UNTIL_CPP20")  # a macro of keywords.h
CALL = 'calling a __host__ function("{name}") from a {kind} function("{caller}") is not allowed'  # nvcc's words
DEVICE = CALL + ": {name}() lacks __device__"
OBJECT = CALL + ": device code has no objects of the host's library"
FUNCTION = CALL + ": device code has no such functions of the host's library"
VARIABLE = (
    'identifier "{name}" is undefined in device code: it is a variable of the host, and no parameter of the kernel'
)
EXCEPTIONS = "device code does not support exception handling"  # this, too
RETURNS = "a __global__ function must have a void return type"  # and this
READ_ONLY = "expression must be a modifiable lvalue"  # and this
GLOBAL = "{name}() lacks __global__: nvcc launches nothing else"
NO_HOST_FUNCTIONS = {"__device__", "__global__", "constexpr", "consteval", "operator", "="}
NO_HOST_VARIABLES = {
    *("__device__", "__constant__", "__managed__", "__shared__", "constexpr", "constinit", "extern"),
    *("template", "using", "typedef", "struct", "class", "union", "enum", "namespace"),
    *("static_assert", "friend", "asm"),
}
NOT_VOID = {
    *("*", "bool", "char", "short", "int", "long", "unsigned", "float", "double", "half", "__half"),
    *("size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
}
HOST_OBJECTS = {
    *("vector", "string", "map", "set", "unordered_map", "unordered_set", "list", "deque", "function"),
    *("cout", "cerr", "to_string"),
}
# In C++20 these are constexpr, and nvcc accepts them with the options that torch gives it.
HOST_FUNCTIONS = {
    *("accumulate", "reduce", "inner_product", "partial_sum", "iota", "fill", "fill_n", "copy", "copy_n", "transform"),
    *("sort", "stable_sort", "nth_element", "reverse", "rotate", "swap", "find", "find_if", "count", "count_if"),
}
# What changes the order of bytes, and those of g++'s own functions that nvcc refuses.
NAMES_OF_THE_HOST = re.compile(
    r"[hn]to[hn][sl]|(__)?bswap_\d+|htobe\d+|be\d+toh|__builtin_(bswap\d+|(ctz|parity|clrsb)l*|trap|abort)"
)
AT_RUN_TIME = {
    "atof",
    "atoi",
    "getenv",
    "rand",
    "time",
}  # a constant that calls one gets its value when a program starts
CUDA_HAS = re.compile("(abs|cbrt|ceil|cos|exp|fabs|floor|fma|fmax|fmin|log|max|min|pow|round|rsqrt|sin|sqrt|tanh?)f?")
BUILT_IN = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
CHANGED = re.compile(r"\s*\.\s*[xyz]\s*(([-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)")  # what follows one of them then
LINE = re.compile(r"(?:\\\r?\n|[^\n])*\n?")
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)")


class Function(NamedTuple):
    """Its tokens: what stands before the name, what follows up to the {, and the body."""

    start: int
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


def host_calls(t: Tokens, doubtful: set[str]) -> Iterator[tuple[int, str, str]]:
    """In a text without_directives(): of each such call, variable and object in a function the first, and all such launches,
    with what is wrong and the directive that says it. `doubtful`: no names of the host's."""
    found = list(functions(t))
    host = {t.text(f.name) for f in found if f.words.isdisjoint(doubtful) and is_for_the_host(t, f)} - doubtful
    variables, members, methods = host_variables(t, host) - doubtful, host_members(t), host_methods(t, doubtful)
    of_library = {token.text for token in t.tokens if NAMES_OF_THE_HOST.fullmatch(token.text)} - doubtful - host
    for f in found:
        if f.words & {"__global__", "__device__"} and "__host__" not in f.words:
            kind = "__global__" if "__global__" in f.words else "__device__"
            names = {"kind": kind, "caller": t.text(f.name)}
            for name in sorted(host | of_library | variables):
                uses = [i for i in range(f.name + 1, f.end) if t.text(i) == name]
                if name not in variables and uses and all(is_call(t, i) for i in uses):
                    yield uses[0], (DEVICE if name in host else FUNCTION).format(name=name, **names), ERROR
                if name in variables and all(is_use(t, i) for i in uses):
                    uses = [i for i in uses if is_evaluated(t, i)]
                    yield from ((i, VARIABLE.format(name=name), ERROR) for i in uses[:1])
            for of_std, said, directive in (HOST_OBJECTS, OBJECT, ERROR), (HOST_FUNCTIONS, FUNCTION, UNTIL_CPP20):
                uses = [i for i in range(f.opening, f.end) if t.text(i) in of_std and is_of_std(t, i)]
                yield from ((i - 2, said.format(name=f"std::{t.text(i)}", **names), directive) for i in uses[:1])
            uses = [i for i in range(f.opening, f.end) if t.is_text(i + 1, "::") and is_evaluated(t, i)]
            named = {i: f"{t.text(i)}::{t.text(i + 2)}" for i in uses}
            uses = [i for i in named if named[i] in members]
            yield from ((i, VARIABLE.format(name=named[i]), ERROR) for i in uses[:1])
            uses = [i for i in named if named[i] in methods and t.is_text(i + 3, "(")]
            yield from ((i, DEVICE.format(name=named[i], **names), ERROR) for i in uses[:1])
        if "__global__" in f.words and returns(t, f):
            yield next(i for i in range(f.start, f.name) if t.is_text(i, "__global__")), RETURNS, ERROR
        for i in range(f.opening, f.end):
            if t.is_text(i + 1, "<<<") and t.text(i) in host and t.text(i - 1) not in (".", "->", "::"):
                yield i, GLOBAL.format(name=t.text(i)), ERROR
    for i, token in enumerate(t.tokens):
        said = EXCEPTIONS if token.text in ("throw", "try") else ""
        if token.text in BUILT_IN and CHANGED.match(t.source, token.end):
            said = READ_ONLY
        if said and t.is_device_code(i):
            yield i, said, ERROR


def host_variables(t: Tokens, host: set[str]) -> set[str]:
    """Those that namespaces declare, where there is no doubt: of a plain type, one in a declaration. host: its functions."""
    found, others = set(), set()
    for start, end in declarations(t):
        words = [t.text(i) for i in range(start, end) if t.kind(i) == "word"]
        last = name_end(t, start, end)
        name, is_plain = t.text(last - 1), t.text(last) in ("=", "[", "{", ";") and last - start > 1
        if not (
            is_plain and not has_macro(words) and NO_HOST_VARIABLES.isdisjoint(words) and t.kind(last - 1) == "word"
        ):
            others |= set(words)
        elif name != "auto" and not t.is_text(last + 1, "[") and not is_a_value(t, start, last, end, host | found):
            found.add(name)
    return found - others


def is_a_value(t: Tokens, start: int, last: int, end: int, of_the_host: set[str]) -> bool:
    """Whether nvcc knows the value of the variable before `last`: a constant, no array, that is computed from constants."""
    stars = [i for i in range(start, last) if t.text(i) in ("*", "&")]
    is_const = "const" in [t.text(i) for i in range(max(stars, default=start), last)]
    calls = (
        t.text(i) for i in range(last, end) if t.is_text(i + 1, "(") and (t.text(i - 1) != "::" or is_of_std(t, i))
    )
    at_run_time = any(c in AT_RUN_TIME or (CUDA_HAS.fullmatch(c) and c not in ("max", "min")) for c in calls)
    from_the_host = any(t.text(i) in of_the_host for i in range(last, end))
    return is_const and not t.is_text(last, "[") and not at_run_time and not from_the_host


def host_members(t: Tokens) -> set[str]:
    """The static ones that are no constants, in classes of namespaces: class::member."""
    found = set()
    for name, i, last in static_members(t):
        words = {t.text(k) for k in range(i, last)}
        if not t.is_text(last, "(") and words.isdisjoint(NO_HOST_VARIABLES | {"const"}):
            found.add(name)
    return found


def host_methods(t: Tokens, doubtful: set[str]) -> set[str]:
    """The static functions of these classes."""
    found = set()
    for name, i, last in static_members(t):
        while t.text(i - 1) not in (";", "{", "}", ":"):
            i -= 1
        words = {t.text(k) for k in range(i, last)}
        if t.is_text(last, "(") and words.isdisjoint(NO_HOST_FUNCTIONS | doubtful) and not has_macro(words):
            found.add(name)
    return found


def static_members(t: Tokens) -> Iterator[tuple[str, int, int]]:
    """class::member, where its `static` is, and what follows its name."""
    for start, end in declarations(t):
        for i in range(start, end) if t.text(start) in ("class", "struct") else ():
            if t.text(i) == "static":
                last = name_end(t, i, end)
                yield f"{t.text(start + 1)}::{t.text(last - 1)}", i, last


def has_macro(words: Iterable[str]) -> bool:
    return any(w.isupper() and len(w) > 1 for w in words)


def name_end(t: Tokens, start: int, end: int) -> int:
    """What follows the name that is declared there."""
    return next((i for i in range(start, end) if t.text(i) in ("=", "[", "{", "(", ",", ";")), end)


def is_of_std(t: Tokens, i: int) -> bool:
    """Of the host's library, and not of cuda::std."""
    return (t.text(i - 2), t.text(i - 1)) == ("std", "::") and t.text(i - 4) != "cuda"


def is_evaluated(t: Tokens, i: int) -> bool:
    """Not its type or size alone, nor its address as a template's argument."""
    before = {t.text(i - 2), t.text(i - 1)}
    is_argument = (t.text(i - 1), t.text(i + 1)) == ("<", ">")
    return before.isdisjoint(("sizeof", "decltype", "alignof")) and not is_argument


def is_use(t: Tokens, i: int) -> bool:
    """Neither a declaration of that name, nor another's member."""
    before = t.text(i - 1)
    declares = t.kind(i - 1) == "word" and not t.is_keyword(i - 1)
    if before in ("*", "&", ">", "&&"):  # perhaps a pointer's or a reference's declaration
        declares = before == ">" or (t.kind(i - 2) == "word" and not t.is_keyword(i - 2))
    return before not in (".", "->", "::") and t.text(i + 1) != "::" and not declares


def declarations(t: Tokens) -> Iterator[tuple[int, int]]:
    """Where each declaration of namespaces begins, and where its ; is."""
    start = i = 0
    while i < len(t.tokens):
        if t.text(i) in ("(", "["):
            i = t.group_end(i)
        elif t.text(i) == ";":
            yield start, i
            start = i + 1
        elif t.text(i) == "}":
            start = i + 1
        elif t.text(i) == "{":
            words = {t.text(k) for k in range(start, i)}
            if t.declared_name(start) >= i and words & {"namespace", "extern"}:
                start = i + 1
            else:
                i = t.group_end(i)
                if t.text(i + 1) != ";" and "=" not in words:
                    start = i + 1
        i += 1


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
                yield Function(start, words, name, i, end)
                i, start = end, end + 1
            elif words & {"namespace", "extern"}:
                start = i + 1
            else:
                i = t.group_end(i)
        i += 1


def returns(t: Tokens, f: Function) -> bool:
    """Whether it surely returns something: void may have another name."""
    last = f.name - 1
    while t.is_text(last, ")"):  # of an attribute
        last = t.group_start(last) - 2
    of_template = {t.text(i) for i in range(f.start, last) if t.text(i - 1) in ("class", "typename")}
    return t.text(last) in NOT_VOID | of_template


def is_for_the_host(t: Tokens, f: Function) -> bool:
    plain = f.words.isdisjoint(NO_HOST_FUNCTIONS) and not has_macro(f.words)
    return plain and t.group_end(f.name + 1) + 1 == f.opening and not CUDA_HAS.fullmatch(t.text(f.name))


def is_call(t: Tokens, i: int) -> bool:
    declares = t.kind(i - 1) == "word" and not t.is_keyword(i - 1)
    return t.is_text(i + 1, "(") and t.text(i - 1) not in (".", "->", "::") and not declares
