"""Finds what nvcc refuses and C++ does not. Device code that calls a host function or uses a host variable of the same
file, or an object of the host's library; that throws or catches, or changes threadIdx.
A launch of a host function; a kernel that returns something.

These are mistakes that people make: most often they forget a __device__ or a __global__. The search keeps quiet in doubt:
where #if or a macro may decide which side a function is for, where a name has two meanings or is one of CUDA's, in calls
from __host__ __device__ functions (nvcc only warns there). lacking.py says what it does not find.
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
UNDEFINED = 'identifier "{name}" is undefined in device code'  # these, too
VARIABLE = UNDEFINED + ": it is a variable of the host, and no parameter of the kernel"
ADDRESS = UNDEFINED + ": {name}() lacks __device__"
EXCEPTIONS = "device code does not support exception handling"  # this, too
RETURNS = "a __global__ function must have a void return type"  # and this
READ_ONLY = "expression must be a modifiable lvalue"  # and this
GLOBAL = "{name}() lacks __global__: nvcc launches nothing else"
NO_HOST_FUNCTIONS = {"__device__", "__global__", "constexpr", "consteval", "operator", "="}
NO_HOST_VARIABLES = {
    *("__device__", "__constant__", "__managed__", "__shared__", "constexpr", "constinit", "operator"),
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
# C's and CUDA's functions without a version for a GPU, but none whose name a header's device function may have (read, index).
FUNCTIONS_OF_C = {
    *("abort", "exit", "_Exit", "atexit", "rand", "srand", "rand_r", "drand48", "getenv", "system", "time", "usleep"),
    *("atof", "atoi", "atol", "atoll", "strtod", "strtof", "strtol", "strtoul", "qsort", "bsearch", "calloc"),
    *("realloc", "fopen", "fclose", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fputs", "fgets", "fread"),
    *("fwrite", "fflush", "scanf", "sscanf", "fscanf", "getchar", "perror", "memmove", "memcmp", "memchr", "strlen"),
    *("strcpy", "strncpy", "strcat", "strcmp", "strncmp", "strchr", "strstr", "isalpha", "isdigit", "isspace"),
    *("isupper", "islower", "isalnum", "toupper", "tolower", "clock_gettime", "gettimeofday", "cudaDeviceSynchronize"),
    *("cudaMemcpy", "cudaMemset", "cudaSetDevice", "cudaMallocManaged", "cudaMallocHost", "cudaFreeHost"),
    *("cudaMemcpyToSymbol", "cudaStreamCreate", "cudaStreamSynchronize", "cudaEventCreate"),
}
AT_RUN_TIME = FUNCTIONS_OF_C - {"strlen"}  # a constant that calls one gets its value when a program starts
CUDA_HAS = re.compile("(abs|cbrt|ceil|cos|exp|fabs|floor|fma|fmax|fmin|log|max|min|pow|round|rsqrt|sin|sqrt|tanh?)f?")
CONSTANT = {"abs", "ceil", "max", "min"}  # those of them that nvcc computes
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
    variables, members, methods = host_variables(t, host, doubtful), host_members(t), host_methods(t, doubtful)
    of_library = {w.text for w in t.tokens if w.text in FUNCTIONS_OF_C or NAMES_OF_THE_HOST.fullmatch(w.text)}
    declared = [i for i, token in enumerate(t.tokens) if token.kind == "word" and declares(t, i)]
    of_library -= {t.text(i) for i in declared if t.is_text(i + 1, "(")} | doubtful | host | variables
    objects, spaces = {t.text(i) for i in declared if not t.is_text(i + 1, "(")}, namespaces(t)
    lambdas = {t.text(i) for i in range(len(t.tokens)) if t.text(i + 1) in ("=", "{") and t.is_text(i + 2, "[")}
    for f in found:
        if f.words & {"__global__", "__device__"} and "__host__" not in f.words:
            kind = "__global__" if "__global__" in f.words else "__device__"
            names = {"kind": kind, "caller": t.text(f.name)}
            for name in sorted(host | of_library | variables):
                uses = uses_of(t, name, range(f.start, f.end), {"std"} if name in of_library else spaces)
                for first, i in [use for use in uses if name not in lambdas or takes_words(t, use[1])][:1]:
                    said, is_call = VARIABLE if name in variables else FUNCTION, t.is_text(i + 1, "(")
                    if name in host - variables:
                        said = DEVICE if is_call else ADDRESS
                    if name in variables or is_call or name in host - objects:
                        full = "".join(t.text(k) for k in range(first, i + 1)).removeprefix("::").removeprefix("std::")
                        yield first, said.format(name=full, **names), ERROR
            for of_std, said, directive in (HOST_OBJECTS, OBJECT, ERROR), (HOST_FUNCTIONS, FUNCTION, UNTIL_CPP20):
                uses = [i for i in range(f.opening, f.end) if t.text(i) in of_std and is_of_std(t, i)]
                yield from ((i - 2, said.format(name=f"std::{t.text(i)}", **names), directive) for i in uses[:1])
            scopes = [i for i in range(f.opening, f.end) if t.is_text(i + 1, "::")]
            wrong = [(i, f"{t.text(i)}::{t.text(i + 2)}", VARIABLE) for i in scopes]
            wrong = [w for w in wrong if w[1] in members] + [(*w, DEVICE) for w in method_calls(t, f, methods)]
            first_of = {name: (i, said) for i, name, said in reversed(wrong) if is_evaluated(t, i)}
            yield from ((i, said.format(name=name, **names), ERROR) for name, (i, said) in first_of.items())
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


def host_variables(t: Tokens, host: set[str], doubtful: set[str]) -> set[str]:
    """Those that namespaces declare, where there is no doubt: the first of a declaration. host: its functions."""
    found, others = set(), set()
    for start, end in declarations(t):
        words = [t.text(i) for i in range(start, end) if t.kind(i) == "word"]
        last = name_end(t, start, end)
        if t.is_text(last + 1, "*") and t.is_text(last + 3, ")"):  # a pointer to a function: int (*name)(int)
            last += 3
        name, of_type = t.text(last - 1), {t.text(i) for i in range(start, last - 1)}
        has_value = t.text(last) in ("=", "[", "{", ",", ";", ")") or t.kind(last + 1) in ("number", "string")
        is_plain = has_value and last - start > 1 and t.kind(last - 1) == "word" and doubtful.isdisjoint(of_type)
        if not is_plain or has_macro(words) or not NO_HOST_VARIABLES.isdisjoint(words):
            others |= set(words)
        elif name != "auto" and not is_a_value(t, start, last, end, host | found):
            found.add(name)
    return found - others - doubtful


def is_a_value(t: Tokens, start: int, last: int, end: int, of_the_host: set[str]) -> bool:
    """Whether nvcc knows the value of the variable before `last`: a constant, no array, that is computed from constants."""
    if t.is_text(last + 1, "["):  # a lambda is no value, its result may be one
        return not t.is_text(end - 1, "}")
    stars = [i for i in range(start, last) if t.text(i) in ("*", "&")]
    is_const = "const" in [t.text(i) for i in range(max(stars, default=start), last)]
    calls = (
        t.text(i) for i in range(last, end) if t.is_text(i + 1, "(") and (t.text(i - 1) != "::" or is_of_std(t, i))
    )
    at_run_time = any(c in AT_RUN_TIME or (CUDA_HAS.fullmatch(c) and c not in CONSTANT) for c in calls)
    from_the_host = any(t.text(i) in of_the_host for i in range(last, end))
    is_object = any(t.text(i) in HOST_OBJECTS and is_of_std(t, i) for i in range(start, last))
    return is_const and not t.is_text(last, "[") and not at_run_time and not from_the_host and not is_object


def namespaces(t: Tokens) -> set[str]:
    """Those that the file opens or names, but not those of libraries."""
    opened = [i for i, token in enumerate(t.tokens) if token.text == "namespace" and t.text(i - 1) != "using"]
    return {t.text(k) for i in opened for k in range(i + 1, t.declared_name(i))} - {"std", "cuda"}


def host_members(t: Tokens) -> set[str]:
    """The static ones that are no constants: class::member."""
    found = set()
    for of, words, i, _ in members(t):
        if "static" in words and not t.is_text(i + 1, "(") and words.isdisjoint(NO_HOST_VARIABLES | {"const"}):
            found.add(f"{of}::{t.text(i)}")
    return found


def host_methods(t: Tokens, doubtful: set[str]) -> set[str]:
    """Of the functions of these classes those whose overloads are all for the host. class::class is a constructor."""
    found, others = set(), set()
    for of, words, i, last in members(t):
        if t.is_text(i + 1, "(") and "~" not in words:
            plain = words.isdisjoint(NO_HOST_FUNCTIONS | doubtful) and not has_macro(words)
            plain = plain and (t.is_text(i, "operator") or t.text(i) not in doubtful)
            defaulted = any(t.is_text(k, "=") for k in range(t.group_end(i + 1), last))
            (found if plain and not defaulted else others).add(f"{of}::{t.text(i)}")
    return found - others


def method_calls(t: Tokens, f: Function, methods: set[str]) -> Iterator[tuple[int, str]]:
    """Where a function calls one of these: Class::method(), object.method(), object(), or a constructor."""
    inside, objects = range(f.start, f.end), {}
    own = {t.text(i) for i in inside if t.text(i - 1) in ("class", "struct", "typename", "using")}
    classes = {method.split("::")[0] for method in methods} - own
    for i in (i for i in inside if t.text(i) in classes):
        name = next(t.text(k) for k in range(i + 1, f.end + 1) if t.text(k) not in ("const", "&", "*", "__restrict__"))
        if sum(t.is_text(k, name) and declares(t, k) for k in inside) == 1:
            objects[name] = t.text(i)
    for i in range(f.opening, f.end):
        name = t.text(i)
        of = objects.get(name, name)
        if of not in classes or t.text(i - 1) in (".", "->"):
            continue
        if t.text(i + 1) in (".", "->", "::"):
            method, is_call = t.text(i + 2), t.is_text(i + 3, "(")
        elif name in objects:
            method, is_call = "operator", t.is_text(i + 1, "(") and not declares(t, i)
        else:
            method, is_call = name, constructs(t, i)
        if is_call and f"{of}::{method}" in methods:
            yield i, f"{of}::{method}".replace("operator", "operator ()")


def constructs(t: Tokens, i: int) -> bool:
    """Whether the class at the token i has an object made there that is surely no copy: Class object; or Class(1, x)."""
    args = i + 1 + (t.kind(i + 1) == "word")
    if t.is_text(args, ";"):
        return t.text(i - 1) in (";", "{", "}")
    return t.text(args) in ("(", "{") and (t.kind(args + 1) in ("number", "string") or t.is_text(args + 2, ","))


def members(t: Tokens) -> Iterator[tuple[str, set[str], int, int]]:
    """Of classes in namespaces: the class, what stands before a member's name, where the name is, and where all ends."""
    for start, end in declarations(t):
        body = next((i for i in range(start, end) if t.is_text(i, "{")), end)
        if t.text(start) in ("class", "struct") and t.kind(start + 1) == "word" and body < end:
            of = t.group_end(start + 2) + 1 if t.is_text(start + 2, "(") else start + 1  # struct alignas(8) S {
            inner = body + 1, t.group_end(body)
            for first, last in [*declarations(t, *inner), *((f.start, f.opening) for f in functions(t, *inner))]:
                name = name_end(t, first, last) - 1
                yield t.text(of), {t.text(k) for k in range(first, name)}, name, last


def has_macro(words: Iterable[str]) -> bool:
    return any(w.isupper() and len(w) > 1 for w in words)


def name_end(t: Tokens, start: int, end: int) -> int:
    """What follows the name that is declared there."""
    angles = 0
    for i in range(start, end):
        angles += t.is_text(i, "<") - t.is_text(i, ">")
        if angles <= 0 and t.text(i) in ("=", "[", "{", "(", ",", ";"):
            return i
    return end


def is_of_std(t: Tokens, i: int) -> bool:
    """Of the host's library, and not of cuda::std."""
    return (t.text(i - 2), t.text(i - 1)) == ("std", "::") and t.text(i - 4) != "cuda"


def is_evaluated(t: Tokens, i: int) -> bool:
    """Not its type or size alone, nor its address as a template's argument."""
    before = {t.text(i - 2), t.text(i - 1)}
    is_argument = (t.text(i - 1), t.text(i + 1)) == ("<", ">")
    return before.isdisjoint(("sizeof", "decltype", "alignof")) and not is_argument


def uses_of(t: Tokens, name: str, where: range, spaces: Iterable[str] = ()) -> list[tuple[int, int]]:
    """The uses of a name there, with or without one of these namespaces: the first token and the last word of each. An empty
    list if the name is declared there as well, or belongs to something else."""
    found = []
    for i in (i for i in where if t.text(i) == name):
        first = i
        while t.is_text(first - 1, "::") and t.text(first - 2) not in (">", ")"):
            if t.kind(first - 2) == "word" and not t.is_keyword(first - 2):
                if t.text(first - 2) not in spaces:
                    return []
                first -= 1
            first -= 1
        if t.text(first - 1) in (".", "->", "::") or t.is_text(i + 1, "::") or declares(t, first):
            return []
        found += [(first, i)] * is_evaluated(t, first)
    return found


def takes_words(t: Tokens, i: int) -> bool:
    """Whether a lambda is called with more than numbers, for which nvcc computes the result."""
    return t.is_text(i + 1, "(") and any(t.kind(k) == "word" for k in range(i + 2, t.group_end(i + 1)))


def declares(t: Tokens, i: int) -> bool:
    """Whether the name at the token i is perhaps declared there."""
    before, is_call = t.text(i - 1), t.is_text(i + 1, "(")
    if t.kind(i - 1) == "word" or (before == ">" and not is_call):
        return not t.is_keyword(i - 1)
    while t.text(i - 1) in ("*", "&", "&&"):
        i -= 1
    if t.kind(i - 1) == "word" and not is_call:  # T* name, unless it is = a * name
        return not t.is_keyword(i - 1) and t.text(i - 2) not in ("=", "+", "-", "*", "/", "return")
    if t.text(i - 1) not in (",", "["):
        return False
    k = i - 1  # auto [a, name]; int a, *name; and for (int a, name;
    while t.text(k) not in (";", "{", "}", "(", "[", ""):
        k = t.group_start(k) - 1 if t.text(k) in (")", "]") else k - 1
    before = t.text(k - 1)
    return {"(": before == "for", "[": before in ("auto", "&"), "{": before != "="}.get(t.text(k), True)


def declarations(t: Tokens, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Where each declaration of namespaces begins, and where its ; is."""
    i, end = start, len(t.tokens) if end is None else end
    while i < end:
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


def functions(t: Tokens, start: int = 0, end: int | None = None) -> Iterator[Function]:
    """Those that are defined in namespaces."""
    i, end = start, len(t.tokens) if end is None else end
    while i < end:
        if t.text(i) in ("(", "["):
            i = t.group_end(i)
        elif t.text(i) in (";", "}"):
            start = i + 1
        elif t.text(i) == "{":
            name = t.declared_name(start)
            words = {t.text(k) for k in range(start, name)}
            if name < i:
                close = t.group_end(i)
                yield Function(start, words, name, i, close)
                i, start = close, close + 1
            elif words & {"namespace", "extern"}:
                start = i + 1
            else:
                i = t.group_end(i)
                start = start if t.is_text(i + 1, ";") else i + 1
        i += 1


def returns(t: Tokens, f: Function) -> bool:
    """Whether it surely returns something: void may have another name."""
    last = f.name - 1
    while t.is_text(last, ")"):  # of an attribute
        last = t.group_start(last) - 2
    of_template = {t.text(i) for i in range(f.start, last) if t.text(i - 1) in ("class", "typename")}
    return t.text(last) in NOT_VOID | of_template


def is_for_the_host(t: Tokens, f: Function) -> bool:
    plain = f.words.isdisjoint(NO_HOST_FUNCTIONS) and not has_macro(f.words) and not t.is_text(f.name - 1, "::")
    return plain and t.group_end(f.name + 1) + 1 == f.opening and not CUDA_HAS.fullmatch(t.text(f.name))
