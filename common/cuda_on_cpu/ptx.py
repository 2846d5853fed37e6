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

INSTRUCTIONS below is the table of what is known; include/cuda_on_cpu/ptx*.h has the functions. An instruction more needs
a row here and, perhaps, a function there.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Three columns, two spaces or more apart: the instruction's name, its operands (-: none), the C++ function (the name's
# first word, if it is left out).
#
# Name:      <t:u32 s32> is one of these, called t; {.rn .rz} may be there; {r.rn .rz} as well, called r.
# Operands:  =     written: the function returns it             =~    the same, into a register that may be wider
#            =*    several in braces: it returns an array       =|p   it returns a Result: one, and a predicate
#            u32   read as that type; t: as what t stands for   u32~  from a register that may be wider
#            u32*  several in braces, or one                    p     a predicate
#            [s]   an address in the state space s              u32?  may be left out
#            b*    several in braces, of the size that they have
# Function:  <t> stands for what t is, {r} for what r is, with _ for its dot, <N> for how many are written.
INSTRUCTIONS = """
# data movement
mov.<t:NUMBER>                                                      = t              copy
mov.pred                                                            = p              copy
mov.<t:b32 b64>                                                     = b*             pack<<t>>
mov.<t:b32 b64>                                                     =* t             unpack<<N>>
ld{.weak}{s.SPACE}{CACHE}{.nc}.<t:ALL>                              =~ [s]           load<<t>>
ld{.weak}{s.SPACE}{CACHE}{.nc}.v<n:2 4>.<t:ALL>                     =* [s]           load<<t>, <n>>
ld<o:LOOK>{SCOPE}{s.SPACE}.<t:ALL>                                  =~ [s]           look<<t>>
ld<o:LOOK>{SCOPE}{s.SPACE}.v<n:2 4>.<t:ALL>                         =* [s]           look<<t>, <n>>
ldu{s.global}.<t:ALL>                                               =~ [s]           load<<t>>
st{ORDER}{SCOPE}{s.SPACE}{CACHE}.<t:ALL>                            [s] t~           store
st{ORDER}{SCOPE}{s.SPACE}{CACHE}.v<n:2 4>.<t:ALL>                   [s] t*           store
prefetch{s.global .local}.<l:L1 L2>                                 [s]              nothing
prefetch.global.L2::<l:evict_last evict_normal>                     [global]         nothing
prefetchu.L1                                                        [global]         nothing
createpolicy.fractional.L2::<l:EVICT>{.L2::evict_unchanged .L2::evict_first}.b64  = f32?           cache_policy
cvta{.global .local .const}.<t:u64>                                 = t              copy
cvta.to{.global .local .const}.<t:u64>                              = t              copy
cvta.shared{::cta}.<t:u32 u64>                                      = t              cvta_shared<<t>>
cvta.to.shared{::cta}.<t:u32 u64>                                   = u64            cvta_to_shared<<t>>
cp.async.<c:ca cg>.shared{::cta}.global                             [shared] [global] u32 u32?  cp_async_<c>
cp.async.commit_group                                               -                cp_async_commit_group
cp.async.wait_group                                                 s32              cp_async_wait_group
cp.async.wait_all                                                   -                cp_async_wait_all

# integers
add.<t:INT>                                                         = t t
sub.<t:INT>                                                         = t t
add.sat.s32                                                         = s32 s32        add_sat
sub.sat.s32                                                         = s32 s32        sub_sat
mul.lo.<t:INT>                                                      = t t
mul.hi.<t:INT>                                                      = t t            mul_hi
mul.wide.<t:u16 s16 u32 s32>                                        = t t            mul_wide
mad.lo.<t:INT>                                                      = t t t          mad_lo
mad.hi.<t:INT>                                                      = t t t          mad_hi
mad.hi.sat.s32                                                      = s32 s32 s32    mad_hi_sat
mad.wide.u16                                                        = u16 u16 u32    mad_wide
mad.wide.s16                                                        = s16 s16 s32    mad_wide
mad.wide.u32                                                        = u32 u32 u64    mad_wide
mad.wide.s32                                                        = s32 s32 s64    mad_wide
div.<t:INT>                                                         = t t
rem.<t:INT>                                                         = t t
<f:min max>.<t:INT>                                                 = t t            <f>
<f:abs neg>.<t:s16 s32 s64>                                         = t              <f>
sad.<t:INT>                                                         = t t t
<f:and or xor>.<t:BITS>                                             = t t            <f>_
<f:and or xor>.pred                                                 = p p            <f>_
not.<t:BITS>                                                        = t              not_
not.pred                                                            = p              not_
cnot.<t:BITS>                                                       = t
shl.<t:BITS>                                                        = t u32
shr.<t:NUMBER>                                                      = t u32
shf.<d:l r>.<m:wrap clamp>.b32                                      = b32 b32 u32    shf_<d>_<m>
popc.<t:b32 b64>                                                    = t
clz.<t:b32 b64>                                                     = t
brev.<t:b32 b64>                                                    = t
bfind.<t:u32 s32 u64 s64>                                           = t
bfe.<t:u32 s32 u64 s64>                                             = t u32 u32
bfi.<t:b32 b64>                                                     = t t u32 u32
lop3.b32                                                            = b32 b32 b32 u32
prmt.b32                                                            = b32 b32 b32
dp4a.<a:u32 s32>.<b:u32 s32>                                        = a b b32
dp2a.<h:lo hi>.<a:u32 s32>.<b:u32 s32>                              = a b b32        dp2a_<h>
vabsdiff4.u32.u32.u32.add                                            = b32 b32 b32

# floating point; .ftz and .sat are done to the operands and the result
<f:add sub mul>{.rn}.<t:FLOAT>                                      = t t            <f>
<f:add sub mul>.<r:rz rm rp>.<t:FLOAT>                              = t t            <f>_<r>
<f:fma mad>{.rn}.<t:FLOAT>                                          = t t t          fma
<f:fma mad>.<r:rz rm rp>.<t:FLOAT>                                  = t t t          fma_<r>
div.<r:rn full approx>.<t:FLOAT>                                    = t t
<f:min max>{n.NaN}.<t:FLOAT>                                        = t t            <f>{n}
<f:abs neg>.<t:FLOAT>                                               = t              <f>
copysign.<t:FLOAT>                                                  = t t
<f:rcp sqrt>.<r:rn approx>.<t:FLOAT>                                = t              <f>
rsqrt.approx.<t:FLOAT>                                              = t
<f:ex2 lg2 sin cos tanh>.approx.f32                                 = f32            <f>
<f:add sub mul>{.rn}.<t:HALF>                                       = t t            <f>
fma.rn.<t:HALF>                                                     = t t t
<f:min max>{n.NaN}.<t:HALF>                                         = t t            <f>{n}
<f:abs neg>.<t:HALF>                                                = t              <f>
<f:ex2 tanh>.approx.<t:HALF>                                        = t              <f>

# comparisons
setp.<c:eq ne lt le gt ge>.<t:NUMBER>                               = t t            setp_<c>
setp.<c:lo ls hi hs>.<t:u16 u32 u64>                                = t t            setp_<c>
setp.<c:equ neu ltu leu gtu geu num nan>.<t:FLOAT>                  = t t            setp_<c>
selp.<t:NUMBER>                                                     = t t p

# conversions
cvt.<d:INTEGER>.<a:INTEGER>                                         =~ a~            convert<<d>>
cvt.sat.<d:INTEGER>.<a:INTEGER>                                     =~ a~            convert_sat<<d>>
cvt.<r:rn rz rm rp>.<d:FLOAT>.<a:INTEGER>                           = a~             from_integer_<r><<d>>
cvt.<r:rni rzi rmi rpi>.<d:INTEGER>.<a:FLOAT>                       =~ a             to_integer_<r><<d>>
cvt.<r:rni rzi rmi rpi>.<t:FLOAT>.<a:FLOAT>                         = a              round_<r><<t>>
cvt.f64.f32                                                         = f32            convert<f64>
cvt{r.rn .rz .rm .rp}.f32.f64                                       = f64            to_float{r}
cvt.f32.<a:f16 bf16>                                                = a              convert<f32>
cvt.<r:rn rz>.<d:f16 bf16>.f32                                      = f32            narrow_<r><<d>>
cvt.<r:rn rz>.<d:f16x2 bf16x2>.f32                                  = f32 f32        narrow2_<r><<d>>
cvt.<r:rna rn rz>.tf32.f32                                          = f32            tf32_<r>

# the threads of a warp
shfl.sync.<m:up down bfly idx>.b32                                  =|p b32 u32 u32 u32  shfl_<m>
vote.sync.ballot.b32                                                = p u32          vote_ballot
vote.sync.<m:any all uni>.pred                                      = p u32          vote_<m>
activemask.b32                                                      =
match.any.sync.<t:b32 b64>                                          = t u32          match_any
match.all.sync.<t:b32 b64>                                          =|p t u32        match_all
redux.sync.<o:add min max>.<t:u32 s32>                              = t u32          redux_<o>
redux.sync.<o:and or xor>.b32                                       = b32 u32        redux_<o>
elect.sync                                                          =|p u32
bar.warp.sync                                                       u32              bar_warp_sync
ldmatrix.sync.aligned.m8n8.x<n:1 2 4>{t.trans}.shared{::cta}.b16    =* [shared]      ldmatrix{t}<<n>>
stmatrix.sync.aligned.m8n8.x<n:1 2 4>{t.trans}.shared{::cta}.b16    [shared] b32*    stmatrix{t}<<n>>
movmatrix.sync.aligned.m8n8.trans.b16                               = b32
mma.sync.aligned.m16n8k<k:8 16>.row.col.<d:SUM>.<a:f16>.f16.<c:SUM>  =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <c>, <d>>
mma.sync.aligned.m16n8k<k:8 16>.row.col.<d:f32>.<a:bf16>.bf16.f32   =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <d>, <d>>
mma.sync.aligned.m16n8k<k:4 8>.row.col.<d:f32>.<a:tf32>.tf32.f32    =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <d>, <d>>
mma.sync.aligned.m16n8k32.row.col.<d:f32>.<a:e4m3 e5m2>.<b:e4m3 e5m2>.f32  =* b32* b32* b32*  mma<16, 32, <a>, <b>, <d>, <d>>
mma.sync.aligned.m16n8k<k:16 32>.row.col.<d:s32>.<a:BYTE>.<b:BYTE>.s32  =* b32* b32* b32*  mma<16, <k>, <a>, <b>, <d>, <d>>
mma.sync.aligned.m16n8k<k:16 32>.row.col.satfinite.s32.<a:BYTE>.<b:BYTE>.s32  =* b32* b32* b32*  mma_satfinite<<k>, <a>, <b>>
mma.sync.aligned.m8n8k16.row.col.<d:s32>.<a:BYTE>.<b:BYTE>.s32      =* b32* b32* b32*  mma<8, 16, <a>, <b>, <d>, <d>>
mma.sync.aligned.m8n8k4.row.col.<d:f64>.f64.f64.f64                 =* b64* b64* b64*  mma<8, 4, <d>, <d>, <d>, <d>>
mma.sync.aligned.m16n8k<k:4 8 16>.row.col.<d:f64>.f64.f64.f64       =* b64* b64* b64*  mma<16, <k>, <d>, <d>, <d>, <d>>

# atomics
atom{ORDER}{SCOPE}{s.SPACE}.<o:ATOMIC>{.noftz}.<t:NUMBER>  = [s] t          atom_<o>
atom{ORDER}{SCOPE}{s.SPACE}.cas.<t:NUMBER>                          = [s] t t        atom_cas
red{ORDER}{SCOPE}{s.SPACE}.<o:add min max and or xor inc dec>.<t:NUMBER>  [s] t            atom_<o>

# the threads of a block
bar{rier}{.cta}.arrive{.aligned}                                    u32 u32          bar_arrive
bar{rier}{.cta}.sync{.aligned}                                      u32 u32?         bar_sync
bar{rier}{.cta}.red.popc.u32                                        = u32 p          bar_red_popc
bar{rier}{.cta}.red.<o:and or>.pred                                 = u32 p          bar_red_<o>
mbarrier.init{s.shared .shared::cta}.b64                            [s] u32          mbarrier_init
mbarrier.inval{s.shared .shared::cta}.b64                           [s]              mbarrier_inval
mbarrier.arrive{ORDER}{SCOPE}{s.shared .shared::cta}.b64            = [s] u32?       mbarrier_arrive
mbarrier.arrive_drop{ORDER}{SCOPE}{s.shared .shared::cta}.b64       = [s] u32?       mbarrier_arrive_drop
mbarrier.arrive.expect_tx{ORDER}{SCOPE}{s.shared .shared::cta}.b64  = [s] u32        mbarrier_arrive_expect_tx
mbarrier.expect_tx{ORDER}{SCOPE}{s.shared .shared::cta}.b64         [s] u32          mbarrier_expect_tx
mbarrier.<w:test try>_wait{ORDER}{SCOPE}{s.shared .shared::cta}.b64  = [s] u64 u32?   mbarrier_<w>_wait
mbarrier.<w:test try>_wait.parity{ORDER}{SCOPE}{s.shared .shared::cta}.b64  = [s] u32 u32?   mbarrier_<w>_wait
cp.async.mbarrier.arrive{n.noinc}{s.shared .shared::cta}.b64        [s]              cp_async_mbarrier_arrive{n}
membar.<l:cta gl sys>                                               -                fence
fence{ORDER}.<l:cta cluster gpu sys>                                -
nanosleep.u32                                                       u32
trap                                                                -
griddepcontrol.<w:wait launch_dependents>                           -                nothing
"""
INTEGER = "u8 s8 u16 s16 u32 s32 u64 s64"
LISTS = {
    "INT": "u16 s16 u32 s32 u64 s64",
    "INTEGER": INTEGER,
    "BYTE": "u8 s8",
    "BITS": "b16 b32 b64",
    "FLOAT": "f32 f64",
    "HALF": "f16 bf16 f16x2 bf16x2",
    "NUMBER": "b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64",
    "ALL": f"b8 b16 b32 b64 {INTEGER} f32 f64",
    "SUM": "f16 f32",
    "ATOMIC": "add min max and or xor exch inc dec",
    "EVICT": "evict_last evict_normal evict_first evict_unchanged",
    "LOOK": ".volatile .relaxed .acquire",
    "ORDER": ".weak .volatile .relaxed .acquire .release .acq_rel .sc",
    "SCOPE": ".cta .cluster .gpu .sys",
    "SPACE": ".global .shared .shared::cta .local .const",
    "CACHE": ".ca .cg .cs .lu .cv .wb .wt",
}
# What may stand in many names: hints for the caches, and what is done to the operands or the result.
HINT = re.compile(r"\.L[12]::(cache_hint|evict_\w+|no_allocate|\d+B)")
DONE = re.compile(r"\.(ftz|sat|relu)\b")

SIZES = {"h": 16, "r": 32, "f": 32, "l": 64, "d": 64}  # of asm's constraints, in bits
TYPES = {*LISTS["ALL"].split(), *LISTS["HALF"].split(), "tf32", "e4m3", "e5m2"}
SPECIAL = {
    *(f"{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"),
    *("laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock", "clock_hi", "clock64"),
    *("globaltimer", "globaltimer_lo", "globaltimer_hi"),
    *(f"lanemask_{relation}" for relation in ("eq", "le", "lt", "ge", "gt")),
}
HERE = "cuda_ptx::"


class Unknown(Exception):
    """Names what CUDA on CPU does not have: an instruction, a register, a form of operand."""


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
        self.scopes: list[dict[str, str]] = [{}]  # registers that the text declares, and their names in C++
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
            self.declarations.append(f"[[maybe_unused]] {kind} cuda_{i} = {value};")
            if i < len(outputs):
                self.ends.append(f"{HERE}out({operand.expression}, cuda_{i});")

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
        parts = [f"namespace {HERE[:-2]} = cuda_on_cpu::ptx;", *self.declarations, *code, *self.ends]
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
                self.declarations.append(f"[[maybe_unused]] {kind} {cpp} = 0;")
        return ""

    def instruction(self, name: str, operands: list[str]) -> str:
        plain = HINT.sub("", name)
        if "cache_hint" in name:
            operands = operands[:-1]  # the policy
        for full in plain, DONE.sub("", plain):
            for known in ROWS:
                needed = [o for o in known.operands if not o.endswith("?")]
                if len(needed) <= len(operands) <= len(known.operands) and (match := known.name.fullmatch(full)):
                    if any(
                        text[0] == "{" and form[-1] != "*" for form, text in zip(known.operands, operands, strict=False)
                    ):
                        continue
                    try:
                        return self.call(known, match.groupdict(), operands, DONE.findall(plain) * (full != plain))
                    except Unknown as unknown:
                        raise Unknown(f"{name} {unknown}") from None
        raise Unknown(name)

    def call(self, known: Row, groups: dict[str, str | None], operands: list[str], done: list[str]) -> str:
        target, arguments = None, []
        for form, text in zip(known.operands, operands, strict=False):
            if form[0] == "=":
                target = (form, text)
                groups["N"] = str(len(inside_braces(text)))
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
        if kind == "p":
            return f"!{self.register(text[1:].strip())}" if text.startswith("!") else self.register(text)
        if kind == "b":
            return self.register(text)
        kind = typed(kind)
        if (number := re.fullmatch(r"%(\d+)", text)) and int(number[1]) in self.constants:
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


def typed(word: str) -> str:
    return HERE + word if word in TYPES else word


def split(text: str) -> list[str]:
    """At the commas that stand in no braces or brackets."""
    return [part.strip() for part in re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,{\[])+", text) if part.strip()]


def inside_braces(text: str) -> list[str]:
    return [part.strip() for part in text.strip("{} ").split(",")]
