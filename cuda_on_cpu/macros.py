"""Macros of the preprocessor, for asm statements that they complete.

    #define R4 "%0, %1, %2, %3"
    #define F2(i) "+f"(d[i]), "+f"(d[i + 1])
    asm("wgmma... {" R4 "}, ..." : F2(0), F2(2) : ...);

A kernel with 128 accumulators is hardly written in another way. #if is not looked at: of several definitions of a name the
last one before its use counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .tokens import OPENING, TOKEN, Token

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?((?:\\\r?\n|[^\n])*)", re.MULTILINE)


class Macro(NamedTuple):
    name: str
    parameters: tuple[str, ...] | None  # None: it takes no arguments
    body: str
    start: int  # where its definition begins


def definitions(source: str) -> list[Macro]:
    found = []
    for m in DEFINE.finditer(source):
        names = None if m[2] is None else [name.strip() for name in m[2][1:-1].split(",") if name.strip()]
        names = names and ["__VA_ARGS__" if name == "..." else name for name in names]
        body = TOKEN.sub(lambda token: " " if token["comment"] else token[0], m[3])
        found.append(Macro(m[1], None if names is None else tuple(names), body.strip(), m.start()))
    return found


def read(text: str) -> list[Token]:
    return [Token(m.lastgroup or "", m[0], m.start()) for m in TOKEN.finditer(text) if not m["comment"]]


def expand(text: str, macros: Mapping[str, Macro], within: frozenset[str] = frozenset()) -> str:
    """The text with the macros replaced, except those that it comes from itself."""
    tokens = read(text)
    result, position, i = "", 0, 0
    while i < len(tokens):
        token = tokens[i]
        macro = macros.get(token.text) if token.kind == "word" and token.text not in within else None
        i += 1
        if macro is None:
            continue
        body, end = macro.body, token.end
        if macro.parameters is not None:
            if i == len(tokens) or tokens[i].text != "(":
                continue
            given, i = arguments(text, tokens, i)
            body, end = substituted(macro, given, macros, within), tokens[i - 1].end
        # With spaces, so that no two operators become one.
        result += f"{text[position : token.start]} {expand(body, macros, within | {macro.name})} "
        position = end
    return result + text[position:]


def arguments(text: str, tokens: list[Token], opening: int) -> tuple[list[str], int]:
    """What stands between the ( and its ), and the number of the token after it."""
    given, depth, start = [], 0, tokens[opening].end
    for i in range(opening, len(tokens)):
        token = tokens[i]
        depth += (token.text in OPENING.values()) - (token.text in OPENING)
        if depth == 0 or (depth == 1 and token.text == ","):
            given.append(text[start : token.start].strip())
            start = token.end
        if depth == 0:
            return given, i + 1
    return given, len(tokens)


def substituted(macro: Macro, given: list[str], macros: Mapping[str, Macro], within: frozenset[str]) -> str:
    """The macro's body with its arguments: #x makes a string of one, a ## b one word of two."""
    names = macro.parameters or []
    if names and names[-1] == "__VA_ARGS__":
        given = [*given[: len(names) - 1], ", ".join(given[len(names) - 1 :])]
    values = dict(zip(names, given, strict=False))
    tokens = read(macro.body)
    texts = ["", *(token.text for token in tokens), ""]
    result, position = "", 0
    for token, before, after in zip(tokens, texts, texts[2:], strict=False):
        gap = macro.body[position : token.start]
        position = token.end
        if token.text == "##":
            continue
        if token.text == "#" and after in values:
            result += gap
        elif before == "#" and token.text in values:
            result += '"' + values[token.text].replace("\\", "\\\\").replace('"', '\\"') + '"'
        else:
            pasted = "##" in (before, after)
            value = values.get(token.text)
            new = token.text if value is None else value if pasted else expand(value, macros, within)
            result += gap * (before != "##") + new
    return result
