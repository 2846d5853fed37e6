"""Inline PTX as C++.

    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 0; @p add.s32 %0, %1, 7; }" : "+r"(y) : "r"(x));

becomes a block that copies the operands into registers, calls a C++ function for each instruction, and copies back what
is written:

    do {
        namespace cuda_ptx = cuda_on_cpu::ptx;
        uint32_t cuda_0 = cuda_ptx::in<uint32_t>(y), cuda_1 = cuda_ptx::in<uint32_t>(x);
        bool cuda_p_0 = false;
        cuda_ptx::set(cuda_p_0, cuda_ptx::setp_gt(cuda_ptx::as<cuda_ptx::s32>(cuda_1), cuda_ptx::s32(0)));
        if (cuda_p_0) cuda_ptx::set(cuda_0, cuda_ptx::add(...));
        cuda_ptx::out(y, cuda_0);
    } while (false)

ptx_table.py says what is known; include/cuda_on_cpu/ptx*.h has the functions. An instruction more needs a row in the table
and, perhaps, a function.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .ptx_table import INSTRUCTIONS, LISTS

# What may stand in many names: hints for the caches, and what is done to the operands or the result.
HINT = re.compile(r"\.L[12]::(cache_hint|evict_\w+|no_allocate|\d+B)")
DONE = re.compile(r"\.(ftz|sat|relu)\b")

SIZES = {"h": 16, "r": 32, "f": 32, "l": 64, "d": 64}  # of asm's constraints, in bits
TYPES = {*LISTS["ALL"].split(), *LISTS["HALF"].split(), "tf32", "e4m3", "e5m2"}
SPECIAL = {
    *(f"{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"),
    *("laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock", "clock_hi", "clock64"),
    *("globaltimer", "globaltimer_lo", "globaltimer_hi", "cluster_ctarank", "cluster_nctarank"),
    *(f"{name}.{axis}" for name in ("cluster_ctaid", "cluster_nctaid", "clusterid", "nclusterid") for axis in "xyz"),
    *(f"lanemask_{relation}" for relation in ("eq", "le", "lt", "ge", "gt")),
}
NAMESPACE = "cuda_ptx"
HERE = f"{NAMESPACE}::"


class Unknown(Exception):
    """Names what CUDA on CPU does not have: an instruction, a register, a form of operand."""


class Incomplete(Unknown):
    """What stands there is no string or no operand: perhaps a macro completes it."""


class Operand(NamedTuple):
    """One of asm's operands: [name] "=r"(expression)."""

    constraint: str
    expression: str
    name: str = ""


class Row(NamedTuple):
    name: re.Pattern
    operands: list[str]
    function: str


def row(line: str) -> Row:
    name, operands, *function = re.split(r"\s{2,}", line)
    return Row(name_pattern(name), operands.replace("-", "").split(), (function or re.findall(r"^\w+", name))[0])


def name_pattern(name: str) -> re.Pattern:
    pattern = ""
    for text, called, one_of, maybe in re.findall(r"([^<{]+)|<(\w):([^>]+)>|\{([^}]+)\}", name):
        if text:
            pattern += re.escape(text)
        elif called:
            pattern += f"(?P<{called}>{alternatives(one_of)})"
        else:
            called, words = re.fullmatch(r"([a-z](?=\.))?(.*)", maybe).groups()
            pattern += f"({f'?P<{called}>' if called else '?:'}{alternatives(words.removeprefix('.'), words)})?"
    return re.compile(pattern)


def alternatives(name: str, words: str = "") -> str:
    """A list's words, if it is the name of a list."""
    return "|".join(map(re.escape, LISTS.get(name, words or name).split()))


ROWS = [row(line) for line in INSTRUCTIONS.splitlines() if line and not line.startswith("#")]


def translate(text: str, outputs: list[Operand], inputs: list[Operand]) -> str:
    """The C++ of an asm statement. Raises Unknown where something in it is not known."""
    return Statement(outputs, inputs).translate(text)


class Statement:
    def __init__(self, outputs: list[Operand], inputs: list[Operand]):
        self.operands = [*outputs, *inputs]
        self.constants = {i: o.expression for i, o in enumerate(self.operands) if o.constraint == "n"}
        self.declarations, self.ends = [], []
        self.sums: set[int] = set()  # operands that stay where they are: what an asynchronous product changes later
        self.scopes: list[dict[str, str]] = [{}]  # registers that the text declares, and their names in C++
        self.predicates: set[str] = set()  # those names that are predicates
        self.labels: list[str] = []
        for i, operand in enumerate(self.operands):
            if i in self.constants:
                continue
            letter = operand.constraint.lstrip("=+&")
            if letter not in SIZES:
                raise Unknown(f'with an operand "{operand.constraint}"')
            kind = f"uint{SIZES[letter]}_t"
            read = i >= len(outputs) or "+" in operand.constraint
            value = f"{HERE}in<{kind}>({operand.expression})" if read else "0"
            self.declarations.append((i, f"[[maybe_unused]] {kind} cuda_{i} = {value};"))
            if i < len(outputs):
                self.ends.append((i, f"{HERE}out({operand.expression}, cuda_{i});"))

    def translate(self, text: str) -> str:
        for i, operand in enumerate(self.operands):
            if operand.name:
                text = text.replace(f"%[{operand.name}]", f"%{i}")
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text.replace("%=", "_"), flags=re.DOTALL).strip()
        self.labels = re.findall(r"(?:^|[;{}])\s*([\w$]+)\s*:(?!:)", text)
        code = []
        while text:
            if text[0] in "{};":
                if text[0] == "{":
                    self.scopes.append({})
                elif text[0] == "}":
                    self.scopes.pop()
                text = text[1:].lstrip()
            elif label := re.match(r"([\w$]+)\s*:(?!:)\s*", text):
                code.append(f"[[fallthrough]]; case {self.labels.index(label[1]) + 1}:")
                text = text[label.end() :]
            else:
                statement, _, text = text.partition(";")
                code.append(self.statement(" ".join(statement.split())))
                text = text.lstrip()
        if self.labels:  # a jump goes on with another case
            code = ["for (int cuda_next = 0; cuda_next >= 0;) switch (cuda_next) { case 0:", *code, "cuda_next = -1; }"]
        declarations, ends = (
            [line for i, line in lines if i not in self.sums] for lines in (self.declarations, self.ends)
        )
        parts = [f"namespace {NAMESPACE} = cuda_on_cpu::ptx;", *declarations, *code, *ends]
        return f"do {{ {' '.join(filter(None, parts))} }} while (false)"

    def statement(self, text: str) -> str:
        if text.startswith(".reg"):
            return self.declare(text)
        if guard := re.match(r"@(!?)(%*[\w$]+) (.*)", text):
            return f"if ({guard[1]}{self.register(guard[2])}) {{ {self.statement(guard[3])} }}"
        name, _, rest = text.partition(" ")
        if re.fullmatch(r"bra(\.uni)?", name) and rest in self.labels:
            return f"{{ cuda_next = {self.labels.index(rest) + 1}; continue; }}"
        return self.instruction(name, split(rest))

    def declare(self, text: str) -> str:
        declared = re.fullmatch(r"\.reg ?\.(pred|[a-z]+(\d+)(x2)?) ?(.+)", text)
        if not declared:
            raise Unknown(f"of this text: {text}")
        kind = "bool" if declared[1] == "pred" else f"uint{32 if declared[3] else declared[2]}_t"
        for name in declared[4].split(","):
            name, many = re.fullmatch(r"\s*(\S+?)\s*(?:<(\d+)>)?\s*", name).groups()
            for suffix in range(int(many)) if many else [""]:
                cpp = "cuda_" + re.sub(r"\W", "", f"{name}{suffix}_{len(self.declarations)}")
                self.scopes[-1][f"{name}{suffix}"] = cpp
                if kind == "bool":
                    self.predicates.add(cpp)
                self.declarations.append((-1, f"[[maybe_unused]] {kind} {cpp} = 0;"))
        return ""

    def instruction(self, name: str, operands: list[str]) -> str:
        plain = HINT.sub("", name)
        if "cache_hint" in name:
            operands = operands[:-1]  # the policy
        for full in name, plain, DONE.sub("", plain):
            for known in ROWS:
                needed = [o for o in known.operands if not o.endswith("?")]
                if len(needed) <= len(operands) <= len(known.operands) and (match := known.name.fullmatch(full)):
                    if not all(map(self.fits, known.operands, operands)):
                        continue
                    try:
                        return self.call(known, match.groupdict(), operands, DONE.findall(plain) * (full != plain))
                    except Unknown as unknown:
                        raise Unknown(f"{name} {unknown}") from None
        raise Unknown(name)

    def fits(self, form: str, text: str) -> bool:
        """Whether the text can be an operand of that form: several in braces, or a predicate, where the form asks for them."""
        predicate = any(text in scope and scope[text] in self.predicates for scope in self.scopes)
        return (form[-1] == "*" or text[0] != "{") and (form[0] in "p=" or not predicate)

    def call(self, known: Row, groups: dict[str, str | None], operands: list[str], done: list[str]) -> str:
        target, arguments = None, []
        for form, text in zip(known.operands, operands, strict=False):
            if form[0] == "=":
                target = (form, text)
                groups["N"] = str(len(inside_braces(text)))
            elif form == "+*":
                names = inside_braces(text)
                sums = ", ".join(map(self.sum, names))
                arguments.append(f"std::array<void*, {len(names)}>{{{{{sums}}}}}")
            elif form == "[map]":
                arguments.append(self.tensor_place(text))
            elif form[0] == "[":
                arguments.append(self.address(groups.get(form[1:-1], form[1:-1]) or "", text))
            else:
                kind = form.rstrip("~*?")
                kind = groups.get(kind, kind)
                read = [self.value(t, kind, form[-1] == "~") for t in inside_braces(text)]
                if "ftz" in done and kind in TYPES:
                    read = [f"{HERE}flush({value})" for value in read]
                arguments.append(f"{HERE}array({', '.join(read)})" if form[-1] == "*" else read[0])
        function = re.sub(r"\{(\w)\}", lambda m: (groups[m[1]] or "").lower().replace(".", "_"), known.function)
        function = re.sub(r"<(\w)>", lambda m: typed(groups[m[1]]), function)
        function = re.sub(r"<(\w+)>$", lambda m: f"<{typed(m[1])}>", function)
        result = f"{HERE}{function}({', '.join(arguments)})"
        for word, name in {"relu": "relu", "sat": "saturate", "ftz": "flush"}.items():
            if word in done:
                result = f"{HERE}{name}({result})"
        return self.store(*target, result) if target else f"{result};"

    def store(self, form: str, target: str, result: str) -> str:
        if target == "_":
            return f"{result};"
        if form in ("=", "=~"):
            return f"{HERE}set{'_wide' * (form == '=~')}({self.register(target)}, {result});"
        if form == "=*":
            each = enumerate(inside_braces(target))
            sets = [f"{HERE}set_wide({self.register(name)}, cuda_array[{i}]);" for i, name in each if name != "_"]
            return f"{{ const auto cuda_array = {result}; {' '.join(sets)} }}"
        names = zip(("value", "predicate"), target.split("|"), strict=False)
        sets = [f"{HERE}set({self.register(n.strip())}, cuda_result.{part});" for part, n in names if n.strip() != "_"]
        return f"{{ const auto cuda_result = {result}; {' '.join(sets)} }}"

    def register(self, text: str) -> str:
        if (number := re.fullmatch(r"%(\d+)", text)) and int(number[1]) < len(self.operands):
            if int(number[1]) in self.constants:
                raise Unknown(f"of {text}")
            return f"cuda_{number[1]}"
        for scope in reversed(self.scopes):
            if text in scope:
                return scope[text]
        raise Unknown(f"of {text.replace('%%', '%')}")

    def value(self, text: str, kind: str, wide: bool = False) -> str:
        """An operand that is read, as a C++ value of that type."""
        number = re.fullmatch(r"%(\d+)", text)
        if kind == "p" and number and int(number[1]) in self.constants:
            return f"bool({self.constants[int(number[1])]})"
        if kind == "p" and text.isdigit():
            return f"bool({text})"
        if kind == "p":
            return f"!{self.register(text[1:].strip())}" if text.startswith("!") else self.register(text)
        if kind == "b":
            return self.register(text)
        kind = typed(kind)
        if number and int(number[1]) in self.constants:
            return f"{kind}({self.constants[int(number[1])]})"
        if bits := re.fullmatch(r"0([fFdD])([0-9a-fA-F]+)", text):
            return f"{HERE}as<{kind}>(uint{32 if bits[1] in 'fF' else 64}_t(0x{bits[2]}))"
        if re.fullmatch(r"-?[\d.][\w.]*(\s*[-+*|]\s*\d\w*)*", text):
            return f"{kind}({text})"
        if text == "WARP_SZ":
            return f"{kind}(32)"
        if text.startswith("%") and text.lstrip("%") in SPECIAL:
            return f"{HERE}as<{kind}>({HERE}special::{text.lstrip('%').replace('.', '_')}())"
        return f"{HERE}as{'_wide' * wide}<{kind}>({self.register(text)})"

    def address(self, space: str, text: str) -> str:
        parts = re.fullmatch(r"\[\s*(%*[\w$]+)\s*(?:\+\s*(-?\s*\w+|%\d+))?\s*\]", text)
        if not parts:
            raise Unknown(f"of {text}")
        offset = self.value(parts[2], "s64") if parts[2] else "0"
        return f"{HERE}{'shared_' * ('shared' in space)}address({self.register(parts[1])}, {offset})"

    def sum(self, text: str) -> str:
        """Where the kernel has what a sum's register stands for, which is one of asm's operands."""
        number = re.fullmatch(r"%(\d+)", text)
        if not number or int(number[1]) >= len(self.operands) or "+" not in self.operands[int(number[1])].constraint:
            raise Unknown(f"with {text}, which is no operand '+f' or '+r' of asm")
        self.sums.add(int(number[1]))
        return f"{HERE}sum({self.operands[int(number[1])].expression})"

    def tensor_place(self, text: str) -> str:
        """[map, {x, y}]"""
        parts = re.fullmatch(r"\[([^,]+), *\{([^}]*)\}\s*\]", text)
        if not parts:
            raise Unknown(f"of {text}")
        corner = ", ".join(self.value(part, "s32") for part in inside_braces(parts[2]))
        return f"{HERE}tensor_place({self.address('', f'[{parts[1].strip()}]')}, {corner})"


def typed(word: str) -> str:
    return HERE + word if word in TYPES else word


def split(text: str) -> list[str]:
    """At the commas that stand in no braces or brackets."""
    return [part.strip() for part in re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,{\[])+", text) if part.strip()]


def inside_braces(text: str) -> list[str]:
    return [part.strip() for part in text.strip("{} ").split(",")]
