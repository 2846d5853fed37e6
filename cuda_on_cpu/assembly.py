"""asm statements: which of them are PTX, where their text comes from, and what takes their place. ptx.py translates the text.

Where macros complete a statement, they are expanded first: at the statement, or, if it stands in a macro itself, wherever that
macro is used. The host's assembly is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from . import lacking, macros, ptx
from .macros import Macro
from .tokens import Token, Tokens, joined, split

ASM = {"asm", "__asm", "__asm__"}
WORD = re.compile(r"\b(?:asm|__asm|__asm__)\b")


def replaced(file: Tokens, included: Sequence[Macro] = ()) -> Iterator[tuple[int, int, str]]:
    """The first and last token of what is to be replaced, and with what. `included`: the macros of its headers."""
    own = macros.definitions(file.source)
    of_headers = {macro.name: macro for macro in included}
    incomplete = incomplete_macros([*included, *own])
    if not incomplete and not WORD.search(file.source):
        return
    for i, token in enumerate(file.tokens):
        if token.text not in ASM and token.text not in incomplete:
            continue
        in_macro = file.macro_end(i) and next((m.name for m in reversed(own) if m.start < token.start), "")
        if in_macro in incomplete:
            continue
        known = of_headers | {macro.name: macro for macro in own if macro.start < token.start}
        if token.text in incomplete:
            end = file.group_end(i + 1) if file.is_text(i + 1, "(") else i
            yield i, end, use(file.source[token.start : file.tokens[end].end], known)
        elif (end := closing(file, i)) and (new := statement(file, i, end, known, file.is_device_code(i))):
            yield i, end, new


def incomplete_macros(all_macros: list[Macro]) -> set[str]:
    """Macros with an asm statement that is complete only where they are used, and those that use them."""
    found = set()
    for macro in all_macros:
        if WORD.search(macro.body):
            body = Tokens(macro.body, "")
            for i, token in enumerate(body.tokens):
                try:
                    if token.text in ASM and (end := closing(body, i)):
                        cpp(inside(body, i, end))
                except ptx.Incomplete:
                    found.add(macro.name)
                except ptx.Unknown:
                    pass
    while more := {m.name for m in all_macros if m.name not in found and found & set(re.findall(r"\w+", m.body))}:
        found |= more
    return found


def use(text: str, known: dict[str, Macro]) -> str:
    """What a use of such a macro stands for, with its asm statements translated."""
    file = Tokens(macros.expand(text, known), "")
    result, position = "", 0
    for i, token in enumerate(file.tokens):
        if token.text in ASM and (end := closing(file, i)) and (new := statement(file, i, end, known, True)):
            result += file.source[position : token.start] + new
            position = file.tokens[end].end
    return result + file.source[position:]


def closing(file: Tokens, i: int) -> int:
    """The ) of the asm at the token i; 0 if the word is no statement."""
    opening = i + 1
    while file.kind(opening) == "word":  # volatile
        opening += 1
    return file.group_end(opening) if file.is_text(opening, "(") else 0


def inside(file: Tokens, i: int, end: int) -> str:
    """The text between the parentheses of an asm."""
    opening = next(k for k in range(i, end) if file.is_text(k, "("))
    return file.source[file.tokens[opening].end : file.tokens[end].start]


def statement(file: Tokens, i: int, end: int, known: dict[str, Macro], on_device: bool) -> str:
    """What takes the place of the asm at the token i, or nothing."""
    text = inside(file, i, end)
    try:
        try:
            return cpp(text)
        except ptx.Incomplete:
            return cpp(macros.expand(text, known))
    except ptx.Unknown as unknown:
        if not on_device:
            return ""
        return lacking.NO_INSTRUCTION.format(str(unknown).replace("\\", "").replace('"', "'"))


def cpp(text: str) -> str:
    """The C++ of what stands in asm(...). Raises ptx.Unknown."""
    texts, *groups = split(macros.read(text), ":")
    if any(token.kind != "string" for token in texts):
        raise ptx.Incomplete("of a text that a macro completes")
    instructions = "".join(map(string, texts))
    outputs, inputs = ([operand(o) for o in split(group, ",") if o] for group in [*groups, [], []][:2])
    if instructions.strip():
        return ptx.translate(instructions, outputs, inputs)
    # A fence for the compiler, as CUTLASS has them around wgmma. Every compiler knows "r"; "f" means another register here.
    foreign = any(o.constraint[-1] in "fhd" for o in [*outputs, *inputs])
    return 'asm volatile("" ::: "memory")' * foreign


def string(token: Token) -> str:
    if token.text.startswith("R"):
        return token.text[token.text.index("(") + 1 : token.text.rindex(")")]
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": " "}.get(m[1], m[1]), token.text[1:-1])


def operand(tokens: list[Token]) -> ptx.Operand:
    """[name] "=r"(expression)"""
    texts = [token.text for token in tokens]
    name = texts[1] if texts[0] == "[" else ""
    at = end = 3 if name else 0
    while end < len(tokens) and tokens[end].kind == "string":  # "+" "f" are one
        end += 1
    if end == at or texts[end : end + 1] != ["("] or texts[-1] != ")":
        raise ptx.Incomplete(f"with the operand {joined(tokens)}")
    return ptx.Operand("".join(map(string, tokens[at:end])), joined(tokens[end + 1 : -1]), name)
