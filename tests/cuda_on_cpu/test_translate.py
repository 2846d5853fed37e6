"""The translator of CUDA on CPU: what becomes of a .cu's text. Needs no torch."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from cuda_on_cpu import CFLAGS, INCLUDE, TranslationError, lacking, names_cuda, translate_file
from cuda_on_cpu.translate import translate
from tests.cuda_on_cpu.building import ROOT, run


def body(source: str) -> str:
    """The translation without its first lines, with the launch's functions and what is in each asm left out."""
    text = translate(source, "a.cu")
    head, text = text[: text.index("\n#line")], text[text.index('"a.cu"\n') + 7 :]
    headers = "#include <cuda_runtime.h>\n" + "#include <cuda_on_cpu/ptx.h>\n" * ("cuda_ptx" in text)
    assert f"{head}\n" == headers + LANGUAGE
    assert text.count("\n") == source.count("\n")
    pattern = r"cuda_on_cpu::launch\(CUDA_ON_CPU_NAME\((.*?)\), "
    pattern += r"\[=\]\(const auto&\.\.\. cuda_p_\) CUDA_ON_CPU_UNRECORDED \{ \1\(cuda_p_\.\.\.\); \}, "
    pattern += r"\[=\]\(auto cuda_f_\) -> decltype\(cuda_f_\(\1\)\) \{ return cuda_f_\(\1\); \}, "
    text = re.sub(pattern, r"LAUNCH{\1}(", text)
    text = re.sub(
        r" \[\[maybe_unused\]\] static cuda_on_cpu::SharedVariable cuda_on_cpu_##([\w#]+)\(\1\)", r"MACRO{\1}", text
    )
    text = re.sub(
        r" \[\[maybe_unused\]\] static cuda_on_cpu::SharedVariable cuda_on_cpu_(\w+)\(\1\);", r"SHARED{\1}", text
    )
    text = text.replace("namespace cuda_ptx = cuda_on_cpu::ptx; ", "").replace("[[maybe_unused]] uint", "uint")
    return re.sub(r"\bcuda_(ptx::|(?!on_cpu))", "", text)


LANGUAGE = "#define __CUDACC__ 1\n#define __CUDA_ARCH__ 900\n"
INITIALISED = '; static_assert(false, "__shared__ memory has no initialiser in CUDA: write to it in the kernel")'
SMID = "uint32_t 0 = 0; set(0, copy(as<u32>(special::smid()))); out({}, 0);"


@pytest.mark.parametrize(
    "source, expected",
    [
        ("k<<<1, 2>>>(a);", "LAUNCH{k}(1, 2)(a);"),
        ("k <<< g , b >>> (a)", "LAUNCH{k}( g , b ) (a)"),
        ("k << < g, b(1 >> 2 > 3) >> > (a << b)", "LAUNCH{k}(  g, b(1 >> 2 > 3) )  (a << b)"),
        (
            "k<int> << <1, 2>>>(a); o = operator<< <T>(a, b >> 1);",
            "LAUNCH{k<int>}( 1, 2)(a); o = operator<< <T>(a, b >> 1);",
        ),
        ("k<<<1, 2, 3, s>>>()", "LAUNCH{k}(1, 2, 3, s)()"),
        ("a::b<c, 4>::k<d<e<f>>, (x > y)><<<1, 1>>>(p)", "LAUNCH{a::b<c, 4>::k<d<e<f>>, (x > y)>}(1, 1)(p)"),
        ("x = y; ::k<<<1, 1>>>()", "x = y; LAUNCH{::k}(1, 1)()"),
        ("k<T> <<<1, 1>>>()", "LAUNCH{k<T>}(1, 1)()"),
        ("k<sizeof(int) << 2><<<1, 1>>>()", "LAUNCH{k<sizeof(int) << 2>}(1, 1)()"),
        ("k<n < 4><<<1, 1>>>()", "LAUNCH{k<n < 4>}(1, 1)()"),
        ("a::k<(n) < 4, b<c>><<<1, 1>>>()", "LAUNCH{a::k<(n) < 4, b<c>>}(1, 1)()"),
        ("k<T, sizeof(T) < 4><<<1, 1>>>()", "LAUNCH{k<T, sizeof(T) < 4>}(1, 1)()"),
        ("k<4 < n><<<1, 1>>>()", "LAUNCH{k<4 < n>}(1, 1)()"),
        ("k<a < b && !c<d>::e && -1 < f<g>::h><<<1, 1>>>()", "LAUNCH{k<a < b && !c<d>::e && -1 < f<g>::h>}(1, 1)()"),
        ("k<m, n < 4><<<1, 1>>>()", "LAUNCH{k<m, n < 4>}(1, 1)()"),
        ("if (a < b) k<n < 4>::l<int><<<1, 1>>>()", "if (a < b) LAUNCH{k<n < 4>::l<int>}(1, 1)()"),
        ("for (; i < n; i++, k<4><<<1, 1>>>());", "for (; i < n; i++, LAUNCH{k<4>}(1, 1)());"),
        ("k<1><<<1, 1>>>(), l<2><<<1, 1>>>()", "LAUNCH{k<1>}(1, 1)(), LAUNCH{l<2>}(1, 1)()"),
        ("#if N < 3\nk<4><<<1, 1>>>();", "#if N < 3\nLAUNCH{k<4>}(1, 1)();"),
        ("a<b> c; b<c>(), k<4><<<1, 1>>>();", "a<b> c; b<c>(), LAUNCH{k<4>}(1, 1)();"),
        ("T::template k<U><<<1, 1>>>()", "LAUNCH{T::template k<U>}(1, 1)()"),
        ("if (x) k<<<1, 1>>>(); else k<<<2, 2>>>();", "if (x) LAUNCH{k}(1, 1)(); else LAUNCH{k}(2, 2)();"),
        ("return (k)<<<1, 1>>>()", "return LAUNCH{(k)}(1, 1)()"),
        ("(x ? k : l)<<<1, 1>>>()", "LAUNCH{(x ? k : l)}(1, 1)()"),
        ("t[i + 1]<<<1, 1>>>()", "LAUNCH{t[i + 1]}(1, 1)()"),
        ("(*p).q->k<<<1, 1>>>()", "LAUNCH{(*p).q->k}(1, 1)()"),
        ("get<3>(x)<<<1, 1>>>()", "LAUNCH{get<3>(x)}(1, 1)()"),
        ("k<<<d(a >> 1, b << 1), f({1, 2}), n>>2>>>(x >> 3)", "LAUNCH{k}(d(a >> 1, b << 1), f({1, 2}), n>>2)(x >> 3)"),
        ("k<<<1, sizeof(V<T>)>>>()", "LAUNCH{k}(1, sizeof(V<T>))()"),
        ("k<<<1, V<T>>>>()", "LAUNCH{k}(1, V<T>)()"),
        ("x = 1'0; k<<<1, 2>>>(); y = '0';", "x = 1'0; LAUNCH{k}(1, 2)(); y = '0';"),
        ("k<<<1, ')'>>>(a)", "LAUNCH{k}(1, ')')(a)"),
        ("k<<<1, // )>>>(\n 2>>>(a)", "LAUNCH{k}(1, // )>>>(\n 2)(a)"),
        ("k<int, // one\n  4>\n  <<<1,\n 1>>>\n(a)", "LAUNCH{k<int, 4>}(\n\n1,\n 1)\n(a)"),
        ("k<<<1, 1>>>(a), l<<<2, 2>>>(b)", "LAUNCH{k}(1, 1)(a), LAUNCH{l}(2, 2)(b)"),
        ("k<<<1, 1>>>([&] { l<<<2, 2>>>(b); })", "LAUNCH{k}(1, 1)([&] { LAUNCH{l}(2, 2)(b); })"),
        ("#define L(k, a) k##_kernel<<<1, 1>>>(a)", "#define L(k, a) LAUNCH{k##_kernel}(1, 1)(a)"),
        ("#define L(k) \\\n  k<int> \\\n  <<<1, 1>>>(a)", "#define L(k) \\\n  LAUNCH{k<int>}(\\\n1, 1)(a)"),
        ("extern __shared__ float s[];", "[[maybe_unused]] float* const s = cuda_on_cpu::dynamic_shared();"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "[[maybe_unused]] unsigned char* const s = cuda_on_cpu::dynamic_shared();",
        ),
        (
            "extern alignas(sizeof(T)) __shared__ volatile\n a::V<T, 2> s [ ];",
            "[[maybe_unused]] volatile a::V<T, 2>* const s = cuda_on_cpu::dynamic_shared()\n;",
        ),
        ("extern __shared__ int s[][4];", "[[maybe_unused]] int (*const s)[4] = cuda_on_cpu::dynamic_shared();"),
        ("static __shared__ int s[4];", "       __shared__ int s[4];SHARED{s}"),
        ("__shared__ V<int, 4> s[2][3], *p; int x;", "__shared__ V<int, 4> s[2][3], *p;SHARED{s}SHARED{p} int x;"),
        ("volatile __shared__ struct { int a, b; } s;", "volatile __shared__ struct { int a, b; } s;SHARED{s}"),
        ("#define S __shared__\nS int s;", "#define S __shared__\nS int s;SHARED{s}"),
        ("#define S(n) __shared__ int n##_s[2]\nS(a);", "#define S(n) __shared__ int n##_s[2];MACRO{n##_s}\nS(a);"),
        ("#define S(n) __shared__ int n; \\\n f(n)\n;", "#define S(n) __shared__ int n;MACRO{n}; \\\n f(n)\n;"),
        ("__device__ void f() { while (*p == 0) ; }", "__device__ void f() { while (*p == 0)  cuda_on_cpu::spin(); }"),
        (
            "#define KERNEL(f) \\\n  __global__ void f()\nint n;\nKERNEL(f) { while (*p) ; }",
            "#define KERNEL(f) \\\n  __global__ void f()\nint n;\nKERNEL(f) { while (*p)  cuda_on_cpu::spin(); }",
        ),
        ("__device__ void f() { for (; *p;) {} }", "__device__ void f() { for (; *p;) { cuda_on_cpu::spin();} }"),
        (
            "__device__ void f(volatile int* p) { do { g(); } while (*p); do g(); while (*p); while (*p) { g(); } }",
            "__device__ void f(volatile int* p) { do { cuda_on_cpu::spin(); g(); } while (*p); do g(); while (*p); "
            "while (*p) { cuda_on_cpu::spin(); g(); } }",
        ),
        (
            "__global__ void __cluster_dims__(2, 1) k(int (*f)(int)) {\n}",
            "__global__ void  k(int (*f)(int)) { cuda_on_cpu::cluster_dims(2, 1);\n}",
        ),
        ("__constant__ static const int s[4];", "__constant__        const int s[4];"),
        ("static const __constant__ float f = 1;", "       const __constant__ float f = 1;"),
        ("__shared__ alignas(16) int s;", "alignas(16) __shared__  int s;SHARED{s}"),
        (
            "extern __shared__ int s[]; namespace a { extern __shared__ int s[]; }\nextern __shared__ int s[]; void f();",
            "[[maybe_unused]] int* const s = cuda_on_cpu::dynamic_shared(); namespace a "
            "{ [[maybe_unused]] int* const s = cuda_on_cpu::dynamic_shared(); }\n void f();",
        ),
        ("__shared__ int a[2] = {1, f(2)};\nint b = 1;", f"__shared__ int a[2] {INITIALISED};SHARED{{a}}\nint b = 1;"),
        ("__shared__ union U { int a; } b;", "__shared__ union U { int a; } b;SHARED{b}"),
        ("__shared__ int a, b{0};", f"__shared__ int a, b{INITIALISED};SHARED{{a}}SHARED{{b}}"),
        ('asm("mov.u32 %0, %%smid;" : "=r"(x));', f"do {{ {SMID.format('x')} }} while (false);"),
        (
            'asm volatile("mov.b32 %0, "\n  "%%smid;" // one\n : "=r"(x[0])\n);',
            f"do {{ {SMID.format('x[0]').replace('u32>', 'b32>')} }} while (false)\n\n\n;",
        ),
        (
            '#define SM(x) \\\n  asm("mov.u32 %0, %%smid;" \\\n: "=r"(x))',
            f"#define SM(x) \\\n  do {{ {SMID.format('x')} }} while (false)\\\n",
        ),
        (
            '__asm__ __volatile__ ("st.global.v2.f32 [%0+8], {%1, %2};" :: "l"(p), [b] "f"(b::c ? d : e), "n"(N<1, 2>) :)',
            "do { uint64_t 0 = in<uint64_t>(p); uint32_t 1 = in<uint32_t>(b::c ? d : e); "
            "store(address(0, s64(8)), array(as<f32>(1), f32(N<1, 2>))); } while (false)",
        ),
        (
            'asm("{ .reg .pred p; L: @!p bra L; }")',
            "do { [[maybe_unused]] bool p_0 = 0; for (int next = 0; next >= 0;) switch (next) { case 0: [[fallthrough]]; "
            "case 1: if (!p_0) { { next = 1; continue; } } next = -1; } } while (false)",
        ),
    ],
)
def test_translated(source, expected):
    assert body(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a << b; a <<= b; a >> b; a < b > c;",
        "A<B<C<int>>> x; A<B<C<int>>>(y);",
        "// k<<<1, 1>>>(a)\n/* k<<<1,\n1>>>(a) */",
        "// a comment that goes on \\\n k<<<1, 1>>>(a)",
        '"k<<<1, 1>>>(a)"; "\\"<<<"; "\\\\"; x;',
        'R"(k<<<1, 1>>>(a) " )"; u8R"x(<<< )" )x"; LR"(<<<)";',
        "'<'; '\\''; '\"'; 1'000'000 << 2; 0x1'0p+3;",
        "#error don't <- a lonely quote\nint x;",
        '#include <a/b.h>\n#include "c.h"\n',
        "std::ostream& operator<<<T>(std::ostream&, T);",
        "extern int t[]; static int u; int extern__shared__;",
        "while (*p) ; while (*p) {}",  # on the host
        "__device__ void f() { while (*p) { g(); } for (int i = 0; i < 3; i++) ; }",
        'void f() { asm volatile("pause"); asm("mov %0, %1" : "=r"(x) : "r"(y)); }',  # the host's own
        '__device__ void f() { g(); } void h() { asm("pause"); }',
        '__global__ void k() { asm volatile("" : "+r"(x) :: "memory"); }',
        'asm(".globl name"); int asm_(int);',
        '// asm("mov.u32 %0, %%smid;" : "=r"(x))\nauto s = "asm(\'bra\')";',
        "caf\u00e9 = \u03b1 << \u03b2;\r\nint x;\r\n",
    ],
)
def test_left_alone(source):
    assert body(source) == source


@pytest.mark.parametrize(
    "source, message",
    [
        ("\n\nk<<<1, 1(a);", "a.cu:3: <<< without >>>"),
        ("k<<<1, 1;\n", "a.cu:1: <<< without >>>"),
        ("k<<<1, (1>>>(a);", "a.cu:1: <<< without >>>"),
        ("x;\nk<<<1, 1>>>;", "a.cu:2: expected ( and the kernel's arguments"),
        ("\n= <<<1, 1>>>(a);", "a.cu:2: expected a kernel's name"),
        ("int> <<<1, 1>>>(a);", "a.cu:1: the > before <<< has no matching <"),
        ("\n4 < n><<<1, 1>>>(a);", "a.cu:2: expected a kernel's name"),
        (")<<<1, 1>>>(a);", "a.cu:1: ) without ("),
        ("(]<<<1, 1>>>(a);", "a.cu:1: ] without ["),
        ("\nextern __shared__ int a[], b[];", "a.cu:2: expected extern __shared__ T name[];"),
        ("extern __shared__ int a[3];", "a.cu:1: expected extern __shared__ T name[];"),
        ("extern __shared__ int a", "a.cu:1: expected extern __shared__ T name[];"),
        ("\n__global__ void __cluster_dims__(2) k(int* a);", "a.cu:2: __cluster_dims__ at a declaration"),
    ],
)
def test_translation_error(source, message):
    with pytest.raises(TranslationError) as error:
        translate(source, "a.cu")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    "source, instruction",
    [
        ('__global__ void k() { asm("tcgen05.alloc.cta_group::1 [%0], 4;" :: "r"(x)); }', "tcgen05.alloc.cta_group::1"),
        ('__device__ void f() { if (x) { asm volatile("add.cc.u32 %0, %0, 1;" : "+r"(x)); } }', "add.cc.u32"),
        ('struct A { int n; __device__ void f() const { for (;;) asm("exit;"); } };', "exit"),
        (
            '#define COPY(a) \\\n  asm volatile("{ .reg .pred p;\\n\\t" "cp.reduce.async [%0]; }" :: "r"(a))',
            "cp.reduce.async",
        ),
        ('__device__ void f() { asm("L: @!p bra L;"); }', "of p"),
        ('__device__ void f() { asm("mov.u32 %0, %%pm0;" : "=r"(x)); }', "mov.u32 of %pm0"),
        ('__device__ void f() { asm("mov.u32 %0, %%smid;" : "=q"(x)); }', "with an operand '=q'"),
        ('__device__ void f() { asm("add.s32 %0, %1;" : "=r"(x) : "r"(y)); }', "add.s32"),
        ('__device__ void f() { asm("ld.u32 %0, [%1 * 2];" : "=r"(x) : "l"(y)); }', "ld.u32 of [%1 * 2]"),
        (
            '__device__ void f() { asm("add.s32 %0, %1, " X ";" : "=r"(x) : "r"(y)); }',
            "of a text that a macro completes",
        ),
    ],
)
def test_other_instructions_are_a_compilers_error(source, instruction):
    text = body(source)
    assert f'"CUDA on CPU (see its README) has no PTX instruction {instruction}"); }}()' in text
    assert "asm" not in text


MOVES = "out(x, 0); out(y, 1);"  # the ends of "mov.b64 {%0, %1}, %2;"


@pytest.mark.parametrize(
    "source",
    [
        '#define TWO "%0, %1"\n__device__ void f() { asm("mov.b64 {" TWO "}, %2;" : "=r"(x), "=r"(y) : "l"(z)); }',
        '#define OUT(a, b) "=r"(a), "=r"(b)\n__device__ void f() { asm("mov.b64 {%0, %1}, %2;" : OUT(x, y) : "l"(z)); }',
        '#define MOVE(SIZE, ...) \\\n  asm("mov.b" #SIZE " {%0, %1}, %2;" : __VA_ARGS__ : "l"(z))\n'
        '#define OUT(a, b) "=r"(a), "=r"(b) // two\n__device__ void f() { MOVE(64, OUT(x, y)); }',
        '#define M(n, ...) asm("mov.b64 {%" #n ", %1}, %2;" __VA_ARGS__ : "l"(z))\n#define ALL(n) M(n, : "=r"(x), "=r"(y))\n'
        "__device__ void f() { ALL(0); }",
        '#define O no\n#define N(a) a##_\n#define M(n) asm n("mov.b64 {%0, %1}, " "%2;" : N(O) : "l"(z))\n'
        '#define O_ "=r"(x), "=r"(y)\n'
        "__device__ void f() { M(volatile); }",
    ],
    ids=["text", "operands", "stringified", "in_a_macro", "pasted"],
)
def test_macros_complete_an_asm(source):
    text = body(source)
    assert f"array = unpack<2>(as<b64>(2)); set_wide(0, array[0]); set_wide(1, array[1]); }} {MOVES}" in text
    definitions, use = source.rsplit("\n", 1)
    assert text.startswith(definitions)  # they are left alone
    assert "asm" not in text[len(definitions) :]


def test_a_macro_of_a_header_completes_an_asm(tmp_path):
    (tmp_path / "a.h").write_text('#define BOTH(...) asm("mov.b64 {%0, %1}, %2;" : __VA_ARGS__ : "l"(z))\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    (tmp_path / "a.cu").write_text('#include "b.h"\n__device__ void f() { BOTH("=r"(x), "=r"(y)); }\n')
    translate_file(tmp_path / "a.cu", tmp_path / "out.cpp")
    assert "cuda_on_cpu/ptx.h" in (text := (tmp_path / "out.cpp").read_text())
    assert "unpack<2>" in text


def test_calls_of_a_function_with_ptx_are_marked(tmp_path):
    """But not its declaration, a member of that name, a call in a macro or on the host; nor if its PTX cannot fail."""
    (tmp_path / "a.h").write_text('#define SYNC asm volatile("bar.sync 0;")\n')
    (tmp_path / "b.h").write_text(
        '#include "a.h"\ntemplate <int N> __device__ int wait() { SYNC; return N; }\n'
        '__device__ int smid() { int x; asm("mov.u32 %0, %%smid;" : "=r"(x)); return x; }\n'
    )
    source = """#include "b.h"
    template <int N> __device__ int wait(int);
    __device__ int other() { return wait<3>() + a.wait<1>() + n::wait<2>(wait<4>()) * f(wait, smid()); }
    #define CALL wait<5>()
    int host() { return wait<6>(); }
    """
    (tmp_path / "a.cu").write_text(source)
    translate_file(tmp_path / "a.cu", tmp_path / "out.cpp")
    calls = '(cuda_on_cpu::calls("wait"), '
    expected = source.replace("wait<3>()", f"{calls}wait<3>())").replace("wait<4>()", f"{calls}wait<4>())")
    expected = expected.replace("n::wait<2>(", f"{calls}n::wait<2>(").replace(")) * f", "))) * f")
    text = (tmp_path / "out.cpp").read_text()
    assert text.endswith(expected[expected.index("\n") :])


@pytest.mark.parametrize("constraint", ["+f", "+d"])
def test_a_fence_for_the_compiler_needs_no_register_of_a_gpu(constraint):
    source = f'__device__ void f() {{ asm volatile("" : "{constraint}"(x) :: "memory"); }}'
    assert body(source) == '__device__ void f() { asm volatile("" ::: "memory"); }'


HOST = "int f(int x) { return x; }\n"


@pytest.mark.parametrize(
    "source",
    [
        HOST + "__global__ void k(int* a) { a[0] = 2 * >f(1) + f(2); }",
        "__global__ void k(int* a);\n" + HOST + "template <class T> __device__ int g(T x) { if (x) return >f(x); }",
        'namespace n {\nextern "C" {\ntemplate <class T> static T f(T x) { return x; }\n}\n'
        "__device__ __noinline__ int g(int x) { return x & >f(x); }\n}",
        "#define N 3\n" + HOST + "#if N > 2\nint g() { }\n#endif\n__launch_bounds__(N) __global__ void k() { >f(N); }",
    ],
)
def test_a_kernel_calls_no_host_function(source):
    plain = source.replace(">f(", "f(")
    said = body(plain)
    caller = re.search(
        r'_Pragma\("GCC error \\"calling a __host__ function\(\\\\\\"f\\\\\\"\) from a (__\w+__) function\(\\\\\\"(\w)',
        said,
    )
    assert caller[1] in source and re.search(rf"{caller[2]}\(", source)
    assert re.sub(r'_Pragma\(".*? is not allowed: f\(\) lacks __device__\\""\) ', ">", said) == source


KERNEL = "\n__global__ void k(float* a, int i) {{ a[0] = {}; }}"
# Of all these nvcc says that what stands after the @ is undefined in device code; of the next ones it says nothing.
NVCC_REFUSES = [
    "static const float x[4] = {1, 2, 3, 4};" + KERNEL.format("@x[i]"),
    "const int x[] = {1, 2};" + KERNEL.format("sizeof(x) / sizeof(x[0]) + @x[1]"),
    "int f() { return 3; }\nstatic const int x = f();" + KERNEL.format("@x"),
    "int y = 3;\nconst int x = 2 * y;" + KERNEL.format("@x"),
    "#include <cmath>\nstatic const float x = std::sqrt(2.0f);" + KERNEL.format("@x"),
    '#include <cstdlib>\nstatic const int x = atoi(getenv("HOME"));' + KERNEL.format("@x"),
    "static auto x = 3;" + KERNEL.format("@x"),
    'const char* x = "abc";' + KERNEL.format("@x[i]"),
    "namespace h {\nint x;\n}" + KERNEL.format("2 * @h::x"),
    "namespace h::i {\nnamespace { int x[3]; }\n}" + KERNEL.format("i + @::h::i::x[2]"),
    "extern int x;" + KERNEL.format("@x"),
    'extern "C" int x;' + KERNEL.format("a[i] * @x"),
    "int (*x)(int);" + KERNEL.format("@x(i)"),
    "int x() { return 3; }\n__global__ void k(int* a) { int (*f)() = @x; a[0] = f(); }",
    "namespace h {\nint x() { return 3; }\n}\n__global__ void k(int* a) { int (*f)() = @h::x; a[0] = f(); }",
    "#include <vector>\nstd::vector<float> x(10);" + KERNEL.format("@x.size()"),
    "#include <vector>\nconst std::vector<int> x = {1, 2};" + KERNEL.format("@x.data()[i]"),
    "#include <map>\nstd::map<int, int> x, y;" + KERNEL.format("@x[i]"),
    "#include <functional>\nstd::function<int(int)> x;" + KERNEL.format("@x(i)"),
    "auto x = [](int i) { return 2 * i; };" + KERNEL.format("@x(i)"),
    "#include <cstdlib>\nstatic const auto x = [](int i) { return rand() + i; };" + KERNEL.format("@x(2 * i)"),
]
NVCC_ACCEPTS = [
    "const int y = 3, z{2};\nstatic const float x = 2.5f * y;" + KERNEL.format("x + y + z"),
    "constexpr int f(int n) { return n + 1; }\nstatic const int x = f(3);" + KERNEL.format("x"),
    "auto x = [](int i) { return 2 * i; };\nconst int y = [] { return 3; }();" + KERNEL.format("x(2 + 1) + y"),
    "#include <cstdlib>\nconst int x = abs(-3);" + KERNEL.format("x"),
    "static const auto x = 3;\nconstexpr float y[2] = {1, 2};" + KERNEL.format("x + sizeof(y)"),
    "#include <algorithm>\n#include <limits>\n"
    "const float x = std::numeric_limits<float>::max(), y = std::max(2, 3);" + KERNEL.format("x + y"),
    "struct P { int n; };\nconst P x = {3};" + KERNEL.format("x.n"),
    "extern const int x[2] = {1, 2};\ntemplate <const int* p> __device__ int f() { return 1; }"
    + KERNEL.format("f<x>()"),
    "struct S { static const int x = 3; static inline const int y = 4; };" + KERNEL.format("S::x + S::y"),
]


def named(source):
    return (re.search(r"@(?:::)?([\w:]+)", source) or " x")[1]


@pytest.mark.thorough
@pytest.mark.parametrize("source", [*NVCC_REFUSES, *NVCC_ACCEPTS])
def test_nvcc_says_the_same_of_a_variable(source, tmp_path):
    """0.2 s each."""
    from common import toolkit

    if toolkit.cuda_home() is None:
        pytest.skip("no nvcc of torch's CUDA version on this machine")
    (tmp_path / "a.cu").write_text(source.replace("@", ""))
    nvcc = [toolkit.cuda_home() / "bin/nvcc", "-arch=sm_90", "--expt-relaxed-constexpr", "-ptx", tmp_path / "a.cu"]
    done = run(*nvcc, "-o", tmp_path / "a.ptx")
    said = (done.stdout + done.stderr).replace("::_NV_ANON_NAMESPACE", "")
    says = f'error: identifier "{named(source)}" is undefined in device code' in said
    assert says == (source in NVCC_REFUSES) and (done.returncode != 0) == says, said


@pytest.mark.parametrize(
    "source",
    [
        *NVCC_REFUSES,
        "static float x = 2;\n__global__ void k(float* a) { a[0] = *a + @x; x = 3; }",
        "int table[4], more;\nfloat x[] = {1, 2};\n__device__ float f() { return sizeof(x) + @x[0]; }",
        "namespace n {\nP x;\n}\nvoid host() { x.y = 1; }\n__global__ void k(float* a) { a[0] = @x.y; }",
        "struct S { int y; };\nS x{3};\nint host() { return 1; }\n__global__ void k(int* a) { for (;;) a[0] = @x.y; }",
    ],
)
def test_a_kernel_uses_no_host_variable(source):
    said = body(source.replace("@", ""))
    name = rf"identifier \\\"{named(source)}\\\" is undefined in device code: "
    why = "it is a variable of the host, and no parameter of the kernel"
    if "x() {" in source:
        why = f"{named(source)}() lacks __device__"
    assert said.replace(f'_Pragma("GCC error \\"{name}{why}\\"") ', "@") == source


def test_a_kernel_uses_no_member_of_the_host():
    source = "struct S { static inline int x = 3, f(); static constexpr int y = 3; };" + KERNEL.format(">S::x + S::y")
    said = body(source.replace(">", ""))
    assert re.sub(r'_Pragma\(".*?"\) (?=S::x)', ">", said) == source
    assert 'identifier \\\\\\"S::x\\\\\\" is undefined in device code' in said


# What nvcc says of device code, word for word. The place is at the @.
NVCC_SAYS = {
    "exceptions": (
        "device code does not support exception handling",
        [
            "__global__ void k(int* a) { if (!a) @throw 1; }",
            "__device__ void f(int* a) { @try { a[0] = 1; } catch (...) { a[0] = 2; } }",
            "struct S { __host__ __device__ int f(int n) {\nif (n < 0) @throw n;\nreturn n; } };",
        ],
    ),
    "void": (
        "a __global__ function must have a void return type",
        [
            "@__global__ int k(int* a) { a[0] = 1; return 1; }",
            "static @__global__ float* k(float* a) { a[0] = 1; return a; }",
            "@__global__ float __launch_bounds__(32) k(int* a) { a[0] = 1; return 1; }",
            "template <class T> @__global__ T k(T* a) { a[0] = 1; return 1; }\nint (*f)(int*) = k<int>;",
        ],
    ),
    "built_in": (
        "expression must be a modifiable lvalue",
        [
            "__global__ void k() { @threadIdx.x = 0; }",
            "struct S { __device__ void f() { while (@gridDim.z-- > 1)\n@blockIdx . y <<= 2; } };",
        ],
    ),
    "methods": (
        'calling a __host__ function("Math::square") from a __global__ function("k") is not allowed',
        [
            "struct Math { static int square(int i) { return i * i; } };\n"
            "__global__ void k(int* a) { a[0] = @Math::square(a[0]); }",
            "class Math { int n; public: inline static int square(int i); };\n"
            "__global__ void k(int* a) { a[0] = n1::@Math::square(a[0]); }",
        ],
    ),
    "objects": (
        'calling a __host__ function("S::get") from a __global__ function("k") is not allowed',
        [
            "struct S { int n; int get() { return n; } };\n__global__ void k(int* a, S s) { a[0] = @s.get(); }",
            "struct alignas(8) S { int n; int get(); };\n__global__ void k(int* a, S* s) { a[0] = 2 * @s->get(); }",
        ],
    ),
    "operators": (
        'calling a __host__ function("S::operator ()") from a __device__ function("f") is not allowed',
        ["struct S { int operator()(int n) { return n; } };\n__device__ int f(S s, S t) { return @s(1); }"],
    ),
    "constructors": (
        'calling a __host__ function("S::S") from a __global__ function("k") is not allowed',
        [
            "struct S { int n; S() { n = 1; } };\n__global__ void k(int* a) { @S s; a[0] = s.n; }",
            "struct S { int n; explicit S(int m) : n{m} {} ~S() = default; };\n"
            "__global__ void k(int* a) {\n@S s(3); a[0] = s.n; }",
            "struct S { int n; S(int m, int l = 2); };\n__global__ void k(int* a) { a[0] = @S(1, a[0]).n; }",
        ],
    ),
    "numbers": (
        'calling a __host__ function("rand") from a __global__ function("k") is not allowed',
        [
            "__global__ void k(int* a) { a[0] = @rand(); }",
            "__global__ void k(int* a) { a[0] = 2 * @std::rand(); }",
            "__global__ void k(int* a) { if (a[0] > 0) return; else a[0] = @::rand(); }",
        ],
    ),
    "files": (
        'calling a __host__ function("fopen") from a __device__ function("f") is not allowed',
        ['__device__ void f(FILE** a) { a[0] = @fopen("a", "r"); }'],
    ),
    "copies": (
        'calling a __host__ function("cudaMemcpy") from a __global__ function("k") is not allowed',
        ["__global__ void k(int* a) { @cudaMemcpy(a, a + 1, 4, cudaMemcpyDefault); }"],
    ),
    "spaces": (
        'calling a __host__ function("h::f") from a __global__ function("k") is not allowed',
        ["namespace h { int f() { return 1; } }\n__global__ void k(int* a) { a[0] = @h::f(); }"],
    ),
    "bytes": (
        'calling a __host__ function("htonl") from a __global__ function("k") is not allowed',
        ["__global__ void k(unsigned* a) { a[0] = @htonl(a[0]); }"],
    ),
    "builtins": (
        'calling a __host__ function("__builtin_bswap32") from a __device__ function("f") is not allowed',
        ["__device__ unsigned f(unsigned n) { return @__builtin_bswap32(n); }"],
    ),
    "bits": (
        'calling a __host__ function("__builtin_ctz") from a __device__ function("f") is not allowed',
        ["__device__ int f(int n) { return @__builtin_ctz(n); }"],
    ),
}
NVCC_SAYS_NOTHING = [
    "struct V { unsigned ntohl; __device__ unsigned htons() { return 1; } };\nunsigned f(unsigned n) { return ntohl(n); }\n"
    "__device__ float bswap_32(float x) { return x; }\n"
    "__global__ void k(V* a) { a->ntohl = a->htons() + __builtin_clz(__builtin_popcount(__builtin_ffs(3))); }\n"
    "__global__ void l(float* a) { a[0] = bswap_32(2.5f); }",
    "struct Math { static constexpr int f(int i) { return i; } static __device__ int g(int i) { return i; } };\n"
    "#define HD __host__ __device__\nHD int one() { return 1; }\n"
    "struct More { static int n(int i); HD static int h(int i) { return i; } };\n"
    "__global__ void k(int* a) { a[0] = Math::f(a[0]) + Math::g(a[0]) + More::h(a[0]) + sizeof(More::n(1)); }",
    "void f() { dim3 blockDim(2); blockDim.x = 3; }\n"
    "__global__ void k(int* a) { if (threadIdx.x == 3 || blockIdx.x <= 3) a[0] = threadIdx.x - -1; }",
    "void f(int n) { float sums[n]; sums[0] = 1; }\n"
    "__device__ void g(float* a, int n) { a[0] = 3 * a[n]; const auto [x, y] = float2{}; }",
    "using nothing = void;\n__global__ nothing k(int* a) { a[0] = 1; }\n__device__ int f(int* a) { return a[0]; }",
    "template <class T, int n> void __global__ __launch_bounds__(n) k(T* a) { a[0] = 1; }\n"
    "template <class T> __device__ T f(T a) { return a; }",
    "void f(int n) { try { throw n; } catch (...) { throw; } }\n__device__ void g() noexcept {}\nvoid h() { throw 1; }",
    "template <class T> __device__ void f(T* a) {\n#ifndef __CUDA_ARCH__\nthrow 1;\n#endif\na[0] = 1; }",
    """int n; int count; int x; int y; int z; int w; int* ptr; int limit; float scale; float values[3];
int helper(int a) { return a; }
int width() { return 1; }
namespace cfg { int rows; constexpr int cols = 3; enum Kind { one, two }; struct Q { static constexpr int rows = 4; }; }
struct S { int n; S() noexcept = default; S(int k) { n = k; } int host(); __device__ int dev() const { return n; } };
struct P { float a; P(float q) : a(q) {} };
struct Both { __host__ __device__ Both() {} __host__ __device__ int m() { return 1; } };
struct Constant { constexpr Constant(int) {} constexpr int m() const { return 1; } };
struct Op { int rand(); __device__ float operator()(float a) const { return a; } __device__ float time() { return 1; } };
struct Host { int m() { return 1; } int operator()(int a) { return a; } Host() {} };
template <int n> __global__ void k1(int* a) { a[0] = n; }
template <class count> __global__ void k2(count* a) { count b = a[0]; a[1] = b; }
__global__ void k3(int* a) { for (int i = 0, x = 3; i < x; i++) a[i] = x; int* q = a, *ptr = q; ptr[0] = 1; }
__global__ void k4(int* a, S s, const S* t, P* p) { S u; u = s; S c(s); P e(p[0]); P f = p[1]; a[0] = s.dev() + t->dev(); }
__global__ void k5(int* a) { auto [x, y] = float2{1, 2}; struct { int z; } l{3}; a[0] = x + y + l.z; }
__global__ void k6(int* a) { auto& [w, scale] = *(float2*)a; int values{1}, z = 4; a[0] = w + scale * z + values; }
__global__ void k7(int* a) { auto width = [](int b) { return b; }; auto time = width; a[0] = width(3) + time(2); }
__global__ void k8(int* a) { Both b; Constant c(3); Op o; a[0] = b.m() + c.m() + o(2.f) + o.time(); }
__global__ void k9(int* a, int limit, int scale) { a[0] = 2 * limit; a[0] *= scale; }
__global__ void k10(int* a) { using cfg::two; decltype(cfg::rows) i = cfg::cols + cfg::one + cfg::Q::rows; a[0] = i + two; }
template <class Host> __global__ void k11(int* a) { Host h; a[0] = h.m(); }
__global__ void k12(int* a, Host* h) { struct Host { __device__ int m() { return 1; } }; { Host h; a[0] = h.m(); } }
__global__ void k13(int* a, Host h, Host* other) { Host* p = other; *p = h; a[0] = clock() + sizeof(Host) + sizeof(values); }
template <int (*F)(int)> __device__ int none() { return 1; }
__device__ int twice(int helper) { return 2 * helper; }
__global__ void k14(int* a) { a[0] = none<helper>() + twice(3); void* p = malloc(3); free(p); const int &w = a[3]; a[4] = w; }
__global__ void k15(int* a) { [&](int count) { a[0] = count; }(3); for (auto n : {1, 2}) a[1] = n; int z(3); a[2] = z; }
__global__ void k16(float4* a) { a->w = a->x + a[1].y; (*a).z = 1; enum { n = 3, x }; a[0].x = n + x; }
""",
]


@pytest.mark.parametrize(
    ("words", "source"), [(words, source) for words, sources in NVCC_SAYS.values() for source in sources]
)
def test_what_nvcc_refuses_in_device_code(words, source):
    said = body(source.replace("@", "")).replace(r"\\\"", '"')
    words = rf"""_Pragma\("GCC error \\"{re.escape(words)}.*?\\""\) |; static_assert\([^"]*"{re.escape(words)}"\)"""
    assert re.sub(words, "@", said) == source


@pytest.mark.thorough
@pytest.mark.parametrize("key", [*NVCC_SAYS, "nothing"])
def test_nvcc_says_the_same_of_device_code(key, tmp_path):
    """nvcc with torch's option, and the host's compiler: these words in these lines, and no others. 1 s each."""
    from common import toolkit

    if toolkit.cuda_home() is None:
        pytest.skip("no nvcc of torch's CUDA version on this machine")
    words, sources = NVCC_SAYS.get(key, ("", NVCC_SAYS_NOTHING))
    text = "#include <arpa/inet.h>\n#include <cstdio>\n#include <cstdlib>\n#include <cuda/std/utility>\n" + "".join(
        f"namespace n{i} {{\n{s}\n}}\n" for i, s in enumerate(sources)
    )
    expected = [(i, words) for i, line in enumerate(text.splitlines(), 1) if "@" in line]
    cu = tmp_path / "a.cu"
    cu.write_text(text.replace("@", ""))
    nvcc = [toolkit.cuda_home() / "bin/nvcc", "-arch=sm_90", "--expt-relaxed-constexpr", "-ptx", cu]
    # It also says in which namespace a function is, and what it takes.
    said = re.sub(r'\bn\d::|\([^()"]*\)(?=")', "", run(*nvcc, "-o", tmp_path / "a.ptx").stderr)
    errors = [(int(line), said) for line, said in re.findall(r"a\.cu\((\d+)\): error: (.*)", said)]
    assert sorted(error for error in errors if "is undefined in device code" not in error[1]) == expected
    translate_file(cu, tmp_path / "a.cpp", [])
    said = run("c++", "-std=c++17", *CFLAGS, f"-I{INCLUDE}", "-fsyntax-only", "-w", tmp_path / "a.cpp").stderr
    errors = re.findall(r"a\.cu:(\d+):\d+: error: (?:static assertion failed: )?(.*)", said)
    assert [(int(line), said[: len(words)]) for line, said in errors] == expected


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_a_kernel_calls_no_function_of_the_hosts_library(standard, tmp_path):
    """In C++20 std::swap is constexpr, and torch has nvcc accept that. 0.5 s each"""
    (tmp_path / "a.cu").write_text("#include <utility>\n__global__ void k(float* a) { std::swap(a[0], a[1]); }\n")
    translate_file(tmp_path / "a.cu", tmp_path / "a.cpp", [])
    done = run("c++", f"-std={standard}", *CFLAGS, f"-I{INCLUDE}", "-fsyntax-only", "-w", tmp_path / "a.cpp")
    words = 'error: calling a __host__ function("std::swap") from a __global__ function("k") is not allowed'
    assert (words in done.stderr) == (done.returncode != 0) == (standard == "c++17"), done.stderr


def test_a_kernel_has_no_objects_of_the_hosts_library():
    source = "__global__ void k(std::vector<float> v, float* a) { std::max(1, 2); std::string s; std::vector<int> w; }"
    said = body(source)
    assert (
        'calling a __host__ function(\\\\\\"std::string\\\\\\") from a __global__ function(\\\\\\"k\\\\\\") is not'
        in said
    )
    assert re.sub(r'_Pragma\(".*?"\) (?=std)', "", said) == source


def test_a_launch_is_of_a_kernel():
    said = translate(HOST + "int main() { f<<<1, 1>>>(1); }", "a.cu")
    assert (
        r'main() { _Pragma("GCC error \"f() lacks __global__: nvcc launches nothing else\"") cuda_on_cpu::launch('
        in said
    )


@pytest.mark.parametrize(
    "source",
    [
        HOST + "__global__ void f(float x); int main() { f<<<1, 1>>>(1); }",
        HOST + "template <class F> void launch(F f) { ::f<<<1, 1>>>(); a.f<<<1, 1>>>(); } KERNEL void k() {} "
        "int main() { k<<<1, 1>>>(); }",
    ],
)
def test_a_launch_that_may_be_right_is_left_alone(source):
    assert "_Pragma" not in translate(source, "a.cu")


@pytest.mark.parametrize(
    "source",
    [
        *NVCC_ACCEPTS,
        *NVCC_SAYS_NOTHING,
        HOST + "int g() { return f(1); } __host__ __device__ int h() { return f(1); }",
        HOST + "__global__ void k(int* a) { a[0] = g.f(1) + g->f(1) + A::f(1) + sizeof(f); }",
        HOST + "template <class F> __global__ void k(F f, int* a) { a[0] = f(1); }",
        HOST + "__global__ void k(int* a) { auto f = [](int x) { return x; }; a[0] = f(1); }",
        HOST + "__global__ void k(int* a) { Op f(3); a[0] = f(1); }",
        HOST + "struct A { __device__ float f(float x); __device__ float g() { return f(1); } };",
        HOST + "#ifdef NEW\n__device__ float f(float);\n#endif\n__global__ void k() { f(1); }",
        "#ifndef __CUDACC__\n" + HOST + "#endif\n__global__ void k() { f(1); }",
        HOST + "__global__ void k() {\n#ifndef __CUDA_ARCH__\nf(1);\n#endif\n}",
        "#define both __host__ __device__\nboth " + HOST + "__global__ void k() { f(1); }",
        "INLINE " + HOST + "__global__ void k() { f(1); }",
        "constexpr " + HOST + "__global__ void k() { f(1); }",
        HOST + "#define f(x) (x)\n__global__ void k() { f(1); }",
        "template <class T> T rsqrt(T x) { return 1 / sqrt(x); } __global__ void k(float* a) { a[0] = rsqrt(a[1]); }",
        "struct A { int f(int x) { return x; } }; __global__ void k() { f(1); }",
        "int a[] = {f(1)}; auto g = f(2); std::function<int(int)> h = {}; __global__ void k() { int(1); f(2); }",
        HOST + "__global__ void k() {\n#if A\nif (a) {\n#else\nif (b) {\n#endif\nf(1); } } int h() {",
        "const float x = 2; constexpr int y = 3; __global__ void k(float* a) { a[0] = x + y; }",
        "__device__ float x; __constant__ float y; __managed__ int z; __global__ void k(float* a) { a[0] = x + y + z; }",
        "float x; __global__ void k(float* x) { x[0] = 1; }",
        "float x; __global__ void k(float* a) { float x = 1; const P &y = *a; a[0] = x + b.x + b->x + A::x; }",
        "float* x; __global__ void k(float* a) { for (float* x = a; *x; x++) *x = 1; }",
        "float x; __global__ void k(float* a) { a[0] = sizeof(x); } __host__ __device__ float f() { return x; }",
        "float x; void f() { std::vector<float> v(x); } __global__ void k(float* a) { a[0] = std::max(a[1], a[2]); }",
        "#if NEW\n__device__\n#endif\nfloat x;\nSTATIC float y; __global__ void k(float* a) { a[0] = y; }",
        "extern __device__ int x; template <class T> T y; const auto z = 3; __global__ void k(int* a) { a[0] = x + y + z; }",
        "struct A { float x; } y; enum { z }; float f(float), w; __global__ void k(A* a) { a[0].x = z + w; }",
        "HD int rand(int n) { return n; }\n__global__ void k(int* a) { a[0] = rand(a[0]); }",
        "auto f = [] __device__(int x) { return x; }; __global__ void k(int* a) { a[0] = f(a[1]); }",
        "template <int x> __global__ void k(int* a) { a[0] = x; } int x;",
        "__global__ void k(float* a) { cuda::std::swap(a[0], a[1]); n::fill(a); } auto f = [](int x) { return x; };",
        "float x; namespace n { __device__ float x; __global__ void k(float* a) { a[0] = x; } }",
    ],
)
def test_what_may_be_right_is_left_alone(source):
    assert body(source) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("CHECK(x.is_cuda(), y->is_cuda());", "CHECK(x.is_cpu(), y->is_cpu());"),
        ("x.type().is_cuda() || x.device().is_cuda();", "x.is_cpu() || x.device().is_cpu();"),
        ("#define CUDA_OK(x) x.is_cuda()", "#define CUDA_OK(x) x.is_cpu()"),
        (
            "f(at::kCUDA, at::DeviceType::CUDA, c10::Backend::CUDA);",
            "f(at::kCPU, at::DeviceType::CPU, c10::Backend::CPU);",
        ),
        ("at::checkAllSameGPU(c, {x, y});", "at::checkAllDefined(c, {x, y});"),
        ("TORCH_LIBRARY_IMPL(my, CUDA, m) {}", "TORCH_LIBRARY_IMPL(my, CPU, m) {}"),
    ],
)
def test_where_torch_is_told_cuda_the_cpu_is_meant(source, expected, tmp_path):
    assert body(source) == expected
    cpp, out = tmp_path / "a.cpp", tmp_path / "out" / "a.cpp"
    cpp.write_text(source)
    assert names_cuda(cpp, [])
    translate_file(cpp, out)
    assert out.read_text() == f'#line 1 "{cpp}"\n{expected}'


@pytest.mark.parametrize(
    "source",
    [
        '// x.is_cuda()\nprint("kCUDA"); bool is_cuda = false; my::CUDA; f(a, CUDA, b);',
        "#ifdef CUDA_ON_CPU\nauto d = at::kCPU;\n#else\nauto d = at::kCUDA;\n#endif",
        "bool is_cuda() { return true; }",
    ],
)
def test_other_names_are_left_alone(source, tmp_path):
    assert body(source) == source
    (tmp_path / "a.cpp").write_text(source)
    assert not names_cuda(tmp_path / "a.cpp", [])


def test_threads_may_write_the_same_header(tmp_path):
    """The memory check translates several .cu at a time, into one folder."""
    (tmp_path / "k.h").write_text("inline void launch() { kernel<<<1, 1>>>(); }\n")
    (tmp_path / "a.cu").write_text('#include "k.h"\n')
    with ThreadPoolExecutor(8) as pool:
        for out in (tmp_path / str(i) for i in range(20)):
            list(pool.map(lambda name, out=out: translate_file(tmp_path / "a.cu", out / name), "abcdefgh"))
            assert len(list(out.iterdir())) == 9


def test_headers_of_a_cpp_follow(tmp_path):
    """One changes, and the other includes it. They are no headers of a .cu: __CUDACC__ stays undefined."""
    (tmp_path / "a.cpp").write_text('#include "b.h"\n#include "d.h"\n')
    (tmp_path / "b.h").write_text('#include "c.h"\n')
    (tmp_path / "c.h").write_text("#define OK(x) x.is_cuda()\n")
    (tmp_path / "d.h").write_text("int d;\n")
    assert names_cuda(tmp_path / "a.cpp", [])
    out = tmp_path / "out"
    translate_file(tmp_path / "a.cpp", out / "a.cpp")
    written = {re.sub("^[0-9a-f]{8}_", "", p.name): p for p in out.iterdir()}
    assert sorted(written) == ["a.cpp", "b.h", "c.h"]
    assert f'#include "{written["b.h"]}"\n#include "d.h"\n' in written["a.cpp"].read_text()
    assert written["c.h"].read_text() == f'#line 1 "{tmp_path / "c.h"}"\n#define OK(x) x.is_cpu()\n'


def test_file_name_is_quoted():
    assert '#line 1 "a \\"b\\" \\\\ c.cu"\n' in translate("", 'a "b" \\ c.cu')


def test_translate_file_writes_only_what_is_new(tmp_path):
    cu, out = tmp_path / "a.cu", tmp_path / "folder" / "a.cpp"
    cu.write_bytes(b"k<<<1, 1>>>(\xff);\r\n")  # neither UTF-8 nor a Unix line end
    translate_file(cu, out)
    assert out.read_bytes().endswith(b"1, 1)(\xff);\r\n")
    os.utime(out, ns=(1, 1))
    translate_file(cu, out)
    assert out.stat().st_mtime_ns == 1
    cu.write_text("int x;\n")
    translate_file(cu, out)
    assert out.read_text() == f'#include <cuda_runtime.h>\n{LANGUAGE}#line 1 "{cu}"\nint x;\n'
    assert [p.name for p in out.parent.iterdir()] == ["a.cpp"]


def test_headers_that_need_it_are_translated(tmp_path):
    """Not those that need nothing; and whoever includes one finds the translation."""
    texts = {
        "a.cu": '#include "in/one.cuh"\n#include "plain.h"\n#include <vector>\nint x;\n',
        "plain.h": "#pragma once\n",
        "in/one.cuh": '#pragma once\n#include "two.cuh"\n#include "../plain.h"\n#include <three.h>\n',
        "in/two.cuh": '#pragma once\n#include "one.cuh"\nvoid f() { k<<<1, 1>>>(); }\n',
        "include/three.h": "extern int s;\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    out = tmp_path / "build" / "a.cpp"
    files = translate_file(tmp_path / "a.cu", out, [tmp_path / "include"])
    assert sorted(files) == sorted(tmp_path / name for name in texts)
    written = {re.sub("^[0-9a-f]{8}_", "", p.name): p for p in out.parent.iterdir()}
    assert sorted(written) == ["a.cpp", "one.cuh", "two.cuh"]
    assert out.read_text().splitlines()[4:] == [f'#include "{written["one.cuh"]}"', *texts["a.cu"].splitlines()[1:]]
    assert written["one.cuh"].read_text().splitlines()[3:] == [
        f'#line 1 "{tmp_path / "in/one.cuh"}"',
        "#pragma once",
        f'#include "{written["two.cuh"]}"',
        f'#include "{tmp_path / "plain.h"}"',
        f'#include "{tmp_path / "include/three.h"}"',
    ]
    assert "cuda_on_cpu::launch" in written["two.cuh"].read_text()
    (tmp_path / "in/two.cuh").write_text("k<<<")
    with pytest.raises(TranslationError, match=re.escape(f"{tmp_path / 'in/two.cuh'}:1: <<< without >>>")):
        translate_file(tmp_path / "a.cu", out)


def test_a_header_that_is_lacking_is_refused_unless_the_reader_has_it(tmp_path):
    """By its name, which the error has; of cuda/ only what is CUDA's, and what include/ has is there."""
    names = [
        "thrust/sort.h",
        "cuda/mdspan",
        "cublasXt.h",
        "curand_kernel.h",
        "own.h",
        "cuda/own.h",
        "cub/cub.cuh",
        "cuda.h",
    ]
    (tmp_path / "a.cu").write_text("".join(f"#include <{name}>\n" for name in names))
    out = tmp_path / "out/a.cpp"
    translate_file(tmp_path / "a.cu", out)
    said = [f'#include "{lacking.SAID.format(name)}"' for name in names[:4]]
    kept = [f"#include <{name}>" for name in names[4:]]
    assert out.read_text().splitlines()[4:] == said + kept
    own = tmp_path / "include/thrust/sort.h"
    own.parent.mkdir(parents=True)
    own.write_text("")
    translate_file(tmp_path / "a.cu", out, [tmp_path / "include"])
    assert out.read_text().splitlines()[4:] == ["#include <thrust/sort.h>", *said[1:], *kept]


def test_no_header_of_the_table_is_there():
    """Else the README would say that it is lacking. Patterns with a folder or a * stand for what is not there."""
    headers = [pattern for row in lacking.TABLE for pattern in row.headers.split()]
    assert len(set(headers)) == len(headers) > 20
    assert not [name for name in headers if "/" not in name and list(INCLUDE.glob(name))]
    assert all(re.fullmatch(r"[a-z]+/\*|[\w*]+\.h", name) for name in headers)


def test_command_line(tmp_path):
    command = [sys.executable, "-m", "cuda_on_cpu", "translate"]
    cu, out = tmp_path / "a.cu", tmp_path / "a.cpp"
    cu.write_text("k<<<1, 1>>>(a);\n")
    subprocess.run([*command, cu, out], check=True, cwd=ROOT)
    assert out.read_text() == translate(cu.read_text(), str(cu))
    assert subprocess.run([*command, cu], capture_output=True, text=True, cwd=ROOT).stdout == out.read_text()
    (tmp_path / "in").mkdir()
    (tmp_path / "in/b.h").write_text("k<<<1, 1>>>();\n")
    cu.write_text('#include "b.h"\n')
    words = [cu, out, "-I", tmp_path / "in", "--depfile", tmp_path / "d"]
    subprocess.run([*command, *words], check=True, cwd=ROOT)
    assert (tmp_path / "d").read_text() == f"{out}: {cu} {tmp_path / 'in/b.h'}\n"
    assert "_b.h" in out.read_text()
    cu.write_text("\nk<<<")
    result = subprocess.run([*command, cu, out], capture_output=True, text=True, cwd=ROOT)
    assert (result.returncode, result.stderr) == (1, f"{cu}:2: <<< without >>>\n")


@pytest.mark.parametrize(
    "cast, new",
    [
        ("(void*)add", "(cuda_on_cpu::KernelPointer)add"),
        ("(const void *)&add", "(cuda_on_cpu::KernelPointer)&add"),
        ("(void*)n::scale<float>", "(cuda_on_cpu::KernelPointer)n::scale<float>"),
        ("reinterpret_cast<const void*>(add)", "static_cast<cuda_on_cpu::KernelPointer>(add)"),
        ("(void*)other", "(void*)other"),
        ("(void*)add(1)", "(void*)add(1)"),
    ],
)
def test_a_kernel_as_void_keeps_its_type(cast, new):
    source = "__global__ void __launch_bounds__(128) add(int n) {}\ntemplate <class T> __global__ void scale(T t) {}\n"
    assert body(f"{source}auto p = {cast};\n") == f"{source}auto p = {new};\n"


def test_what_is_not_covered_ends_the_compilation(tmp_path):
    """One error, with the line of the first word; #if may leave it out, and the lines that follow keep their numbers."""
    lacks = "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no "
    said = lacks + "textures and surfaces"
    without = "#if 0\ncudaArray_t a = cudaMallocArray(1);\n#endif\nint x = wrong;\n"
    macro = "#define FETCH(t) tex1D<float>(t, 1)\n"
    array = "void f() {\n    CHECK(\n        cudaMallocArray(&a, &b));\n    tex2D<float>(c, 1, 2);\n}\n"
    nodes = "void f(cudaGraph_t g) {\n    cudaMemAllocNodeParams p = {};\n    cudaGraphAddMemAllocNode(&n, g, 0, 0, &p);\n}\n"
    decides = "__global__ void k(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 1); }\n"
    driver = "int d;\nCUdeviceptr p;\nint e = cuMemAlloc(&p, 4);\n"
    cub = "struct DeviceReduce {};\nDeviceReduce mine;\nvoid f() { cub::DeviceReduce::Sum(mine); }\n"
    for source, line, message in (
        (nodes, 2, lacks + "graph nodes that allocate or decide"),
        (decides, 1, lacks + "graph nodes that allocate or decide"),
        (driver, 2, lacks + "driver API"),
        (cub, 3, lacks + "cub::DeviceReduce"),
        (macro + "__global__ void k(int n,\n                  cudaTextureObject_t t) { FETCH(t); }\n", 3, said),
        (array, 3, said),
        (without, 4, "wrong"),
    ):
        (tmp_path / "a.cu").write_text(source)
        translate_file(tmp_path / "a.cu", tmp_path / "a.cpp")
        command = ["g++", "-fsyntax-only", f"-I{INCLUDE}", *CFLAGS, tmp_path / "a.cpp"]
        errors = [text for text in run(*command).stderr.splitlines() if "error:" in text]
        assert len(errors) == 1, errors
        assert message in errors[0] and errors[0].startswith(f"{tmp_path}/a.cu:{line}:"), errors
