"""Calls of functions that have PTX which may fail, so that a message about the PTX has the line of the call as well.

    __device__ inline void tma_load(...) { asm volatile("cp.async.bulk.tensor..." : ...); }
    tma_load(tile, &map, &full, 0, 0);       (cuda_on_cpu::calls("tma_load"), tma_load(tile, &map, &full, 0, 0));

Whoever writes such functions does it once, in a header, and the mistakes are where they are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from . import assembly
from .macros import Macro, definitions, expand
from .tokens import Tokens

# Instructions that wait, or that use shared memory. Others, such as ex2, have nothing to say, and are called more often.
MAY_FAIL = re.compile(r"bar|bulk|cp\.async|wgmma|setmaxnreg|mapa|matrix|shared|sync")
# A word in front of the name, or one of these, and it may be a declaration, or a member of something.
NOT_A_CALL = {".", "->", "*", "&", ">", "#", "##", "~"}


def with_ptx(file: Tokens, included: Sequence[Macro]) -> set[str]:
    """The device functions of this file that have such PTX, perhaps by a macro."""
    known = {macro.name: macro for macro in [*included, *definitions(file.source)]}
    bodies = {name: macro.body for name, macro in known.items() if assembly.WORD.search(macro.body)}
    names = set()
    for i, token in enumerate(file.tokens):
        text = bodies.get(token.text, "")
        if token.text in assembly.ASM and (end := assembly.closing(file, i)):
            text = assembly.inside(file, i, end)
        if text and MAY_FAIL.search(expand(text, known)) and not file.macro_end(i):
            names.add(function_of(file, i))
    return names - {""}


def function_of(file: Tokens, i: int) -> str:
    """The device function in which the token i stands."""
    closed = 0
    for k in range(i - 1, -1, -1):
        closed += (file.text(k) == "}") - (file.text(k) == "{")
        if closed < 0:
            closed, first = 0, k
            while first > 0 and file.text(first - 1) not in (";", "{", "}"):
                first -= 1
            if words := [j for j in range(first, k) if file.text(j) in file.device_words]:
                return file.text(file.declared_name(words[0]))
    return ""


def marked(file: Tokens, names: set[str]) -> Iterator[tuple[int, int, str]]:
    """The first and the last token of each call of these functions, and the function."""
    for i, token in enumerate(file.tokens):
        if token.text not in names or token.kind != "word":
            continue
        opening = arguments(file, i)
        first = i
        while file.is_text(first - 1, "::"):
            first -= 2 if file.kind(first - 2) == "word" else 1
        before = file.text(first - 1)
        declares = before in NOT_A_CALL or (file.kind(first - 1) == "word" and not file.is_keyword(first - 1))
        if opening and not declares and not file.macro_end(i) and file.is_device_code(i):
            yield first, file.group_end(opening), token.text


def arguments(file: Tokens, i: int) -> int:
    """The ( of a call of the name i, perhaps with template arguments; 0 if there is no call."""
    k, depth = i + 1, 0
    if file.is_text(k, "<"):
        while depth != 1 or not file.is_text(k, ">"):
            depth += (file.text(k) == "<") - (file.text(k) == ">")
            if file.text(k) in (";", "{", "}", ""):
                return 0
            k += 1
        k += 1
    return k if file.is_text(k, "(") else 0
