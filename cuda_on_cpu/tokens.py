"""A .cu as tokens: what stands where, without its comments."""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?\*/ | \\\r?\n )                   # or the end of a line in a macro
      | (?P<string>  (?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"     # raw
                   | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+' )
      | (?P<number>  \.?\d(?:'?[\w.]|(?<=[eEpP])[+-])* )                           # 1'000 is no character
      | (?P<word>    [^\W\d]\w* )
      | (?P<symbol>  <<< | <<=? | <= | >= | ->\*? | :: | \#\# | [^\s\w] )             # each other > is one of its own
    """,
    re.DOTALL | re.VERBOSE,
)
SPACED, SPACED_END = re.compile(r"<<([ \t]+)<(?!<)"), re.compile(r">>([ \t]*)>")
OPENING = {")": "(", "]": "[", "}": "{"}
# A parenthesis after one of these does not belong to a call.
KEYWORDS = {"return", "if", "else", "while", "for", "switch", "case", "do", "throw", "co_return", "and", "or", "not"}
ATTRIBUTES = {"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__attribute__", "__block_size__"}  # of kernels
# A macro that makes kernels or device functions.
DEVICE_MACRO = re.compile(r"^[ \t]*\#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n])*?\b__(?:global|device)__", re.MULTILINE)


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class TranslationError(ValueError):
    """A .cu that cannot be translated. The message begins with file:line."""


def joined(tokens: list[Token]) -> str:
    """The tokens on one line, without comments; with a space where there was a gap."""
    text = ""
    for before, token in zip([None, *tokens], tokens, strict=False):
        text += " " * (before is not None and token.start > before.end) + token.text
    return text


def split(tokens: list[Token], separator: str) -> list[list[Token]]:
    """At the separators that stand in no group; :: is two of them."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token.text in OPENING.values()) - (token.text in OPENING)
        if depth == 0 and token.text in (separator, 2 * separator):
            parts += [[] for _ in token.text]
        else:
            parts[-1].append(token)
    return parts


class Tokens:
    def __init__(self, source: str, filename: str):
        self.filename = filename
        self.read(source)
        self.device_words = {"__global__", "__device__", *DEVICE_MACRO.findall(source)}
        if SPACED.search(source):
            self.join_brackets()

    def read(self, source: str) -> None:
        self.source = source
        found = TOKEN.finditer(source)
        self.tokens = [Token(m.lastgroup or "", m[0], m.start()) for m in found if not m["comment"]]

    def join_brackets(self) -> None:
        """k << < g, b >> > (a), as some editors write it, becomes k <<<  g, b >>>  (a), of the same length."""
        source = self.source
        for i, token in enumerate(self.tokens):
            opening = SPACED.match(source, token.start)
            if token.text == "<<" and opening and not self.is_text(i - 1, "operator"):
                source = source[: token.start] + "<<<" + opening[1] + source[opening.end() :]
                depth = 0
                for later in self.tokens[i + 2 :]:
                    depth += (later.text in OPENING.values()) - (later.text in OPENING)
                    closing = SPACED_END.match(source, later.start)
                    if later.text == ">" and depth == 0 and closing:
                        source = source[: later.start] + ">>>" + closing[1] + source[closing.end() :]
                        break
        self.read(source)

    def text(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def kind(self, i: int) -> str:
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else ""

    def is_text(self, i: int, text: str) -> bool:
        return self.text(i) == text

    def is_keyword(self, i: int) -> bool:
        return self.text(i) in KEYWORDS

    # ---- groups and macros ----------------------------------------------------------------------------------------------

    def group_start(self, close: int) -> int:
        """The ( that belongs to the ) at close; the same for [ and {."""
        expected = []
        for i in range(close, -1, -1):
            text = self.text(i)
            if text in OPENING:
                expected.append(OPENING[text])
            elif text in OPENING.values():
                if text != expected.pop():
                    break
                if not expected:
                    return i
        raise self.error(close, f"{self.text(close)} without {OPENING[self.text(close)]}")

    def group_end(self, opening: int) -> int:
        depth = 0
        for i in range(opening, len(self.tokens)):
            depth += (self.text(i) in OPENING.values()) - (self.text(i) in OPENING)
            if depth == 0:
                return i
        raise self.error(opening, f"{self.text(opening)} is never closed")

    def macro_end(self, i: int) -> int:
        """Where the last token ends of the macro in whose definition the token i stands; 0 if it stands in none."""
        define = re.compile(r"[ \t]*#[ \t]*define\b")
        line = self.source.rfind("\n", 0, self.tokens[i].start) + 1
        while line > 1 and self.source[:line].rstrip("\r\n").endswith("\\"):
            line = self.source.rfind("\n", 0, line - 1) + 1
        if not define.match(self.source, line):
            return 0
        end = self.tokens[i].end
        for before, token in zip(self.tokens[i:], self.tokens[i + 1 :], strict=False):
            between = self.source[before.end : token.start]
            if "\n" in re.sub(r"\\\r?\n|/\*.*?\*/", "", between, flags=re.DOTALL):
                break
            end = token.end
        return end

    # ---- functions -----------------------------------------------------------------------------------------------------

    def names_declared(self, *words: str) -> set[str]:
        """What is declared with one of these words in this file."""
        return {self.text(self.declared_name(i)) for i, token in enumerate(self.tokens) if token.text in words}

    def declared_name(self, i: int) -> int:
        """The word before the parameters of the function that is declared at the token i; else the end of what is."""
        while self.text(i) not in (";", "{", "") and not (
            self.kind(i) == "word" and self.is_text(i + 1, "(") and self.text(i) not in ATTRIBUTES
        ):
            i = self.group_end(i) + 1 if self.is_text(i, "(") else i + 1
        return i

    def is_device_code(self, i: int) -> bool:
        """Whether the token i stands in a kernel, in a __device__ function, or in a macro."""
        if self.macro_end(i):
            return True
        closed, device = 0, False
        for k in range(i - 1, -1, -1):
            text = self.text(k)
            closed += (text == "}") - (text == "{")
            if closed < 0:  # what this { opens: a function, or a block in one
                closed = 0
                device = device or self.opens_device_code(k)
        return device

    def opens_device_code(self, brace: int) -> bool:
        for k in range(brace - 1, -1, -1):
            if self.text(k) in (";", "{", "}"):
                return False
            if self.text(k) in self.device_words:
                return True
        return False

    def error(self, i: int, message: str) -> TranslationError:
        line = self.source.count("\n", 0, self.tokens[min(i, len(self.tokens) - 1)].start) + 1
        return TranslationError(f"{self.filename}:{line}: {message}")
