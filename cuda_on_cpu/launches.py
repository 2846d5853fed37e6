"""Where a launch's parts begin and end: the kernel's name before <<<, and the configuration up to >>>."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tokens import OPENING

if TYPE_CHECKING:
    from .tokens import Tokens

OPERATORS = set("<+-*/%&|^!~=,") | {"<<", "<=", ">="}  # && is two tokens
LITERALS = {"number", "string"}


def kernel_start(t: Tokens, launch: int) -> int:
    """The first token of the kernel's name."""
    start = name_start(t, launch, launch)
    # In k<n < 4> and in k<m, n < 4> the last < compares, and the name does not begin with n: a launch has no value, so
    # it is no operand. An operator or a comma before the name therefore belongs to template arguments, if a < is open.
    while t.text(start - 1) in OPERATORS and (angle := open_angle(t, start)) >= 0:
        start = name_start(t, angle, launch)
    if t.kind(start) in LITERALS:
        raise t.error(launch, "expected a kernel's name before <<<")
    return start


def name_start(t: Tokens, end: int, launch: int) -> int:
    """The first token of the name, or the literal, before the token `end`: a::b<c>, p->k, k[i], f(x), (k), x##_kernel."""
    i = end  # the name begins here, so far
    while True:
        before = t.text(i - 1)
        if before == ">":
            i = open_angle(t, i - 1)
            if i < 0:
                raise t.error(launch, "the > before <<< has no matching <")
            continue
        if before in (")", "]"):
            i = t.group_start(i - 1)
            # f(x)<<<>>> goes on with f, but return (k)<<<>>> does not go on with return.
            if t.text(i - 1) in (")", "]", ">") or (t.kind(i - 1) == "word" and not t.is_keyword(i - 1)):
                continue
            return i
        if t.kind(i - 1) in LITERALS:
            return i - 1
        if t.kind(i - 1) != "word" or t.is_keyword(i - 1):
            break
        i -= 1
        if t.is_text(i - 1, "template"):  # p->template k<T>, A<T>::template k<T>
            i -= 1
        if t.text(i - 1) in (".", "->", "##"):
            i -= 1
        elif t.is_text(i - 1, "::"):
            i -= 1
            if t.text(i - 1) != ">" and (t.kind(i - 1) != "word" or t.is_keyword(i - 1)):
                return i  # ::k
        else:
            return i
    raise t.error(launch, "expected a kernel's name before <<<")


def open_angle(t: Tokens, i: int) -> int:
    """The last < before the token i that no > before i closes; -1 if there is none in this expression."""
    closed = 0
    while (i := i - 1) >= 0:
        text = t.text(i)
        if text in OPENING:
            i = t.group_start(i)
        elif text == ">":
            closed += 1
        elif text == "<":
            if closed == 0:
                return i
            closed -= 1
        elif text in (";", "(", "[", "{", "<<<"):
            break
    return -1


def closing(t: Tokens, launch: int) -> int:
    """The first > of the >>> that belongs to the <<< at launch."""
    groups = []
    for i in range(launch + 1, len(t.tokens)):
        text = t.text(i)
        if text in OPENING.values():
            groups.append(text)
        elif text in OPENING:
            if not groups or groups.pop() != OPENING[text]:
                break
        elif text in (";", "<<<") and not groups:
            break
        elif not groups and is_closing(t, i):
            return i
    raise t.error(launch, "<<< without >>>")


def is_closing(t: Tokens, i: int) -> bool:
    """>>> without a gap. In >>>> the first closes a template."""
    start = t.tokens[i].start
    return t.source.startswith(">>>", start) and not t.source.startswith(">>>>", start)
