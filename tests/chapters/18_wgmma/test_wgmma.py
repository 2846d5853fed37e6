"""Chapter 18: every rung and tile in every layout, GELU on all numbers, what nvcc says, and planted mistakes. 60 s"""

import itertools
import re

import pytest
import torch
import torch.nn.functional as F

from common import device, has_wgmma
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import NO_SPILLS, ROOT, machine_code, needs_gpu_memory, operators, spills

RUNGS = "first", "larger", "ring"
TILES = (
    *("64x64", "64x128", "128x64", "192x64", "128x128", "192x128", "128x256"),
    *("2x64x128", "2x128x128", "2x128x192", "2x128x256"),
)
OF_PARTS = "64x64", "64x128", "192x64", "192x128"
DIVIDED = tuple(f"{tile} k/{parts}" for tile in OF_PARTS for parts in (2, 4, 8))
# The memory check takes its time: it looks at each rung, and at some tiles of the two kernels that come after them.
LOOKED_AT = "direct", *RUNGS, "64x64", "192x64", "2x128x192", "64x64 k/4", "192x128 k/2"


def of_steps(*steps):
    marks = {step: pytest.mark.kernels for step in steps if step in LOOKED_AT}
    return pytest.mark.parametrize("step", [pytest.param(step, marks=marks.get(step, ())) for step in steps])


linear_gelu = next(op.reference for op in FUNCTIONS if op.path == "18_wgmma.linear_gelu")
FLOAT16 = pytest.param(torch.float16, marks=pytest.mark.thorough)
per_dtype = pytest.mark.parametrize("dtype", (torch.bfloat16, FLOAT16), ids=("bfloat16", "float16"))
infinity, nan = float("inf"), float("nan")


@pytest.fixture(scope="module")
def ops():
    return operators("18_wgmma")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(autouse=True, scope="module")
def hopper():
    if not has_wgmma():
        pytest.skip("wgmma needs compute capability 9.0; test_operators.py has what other GPUs do")


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, dtype=dtype, device=device)


def close(result, expected):
    """Within a unit in the last place, and where sums cancel, of the largest results."""
    eps = torch.finfo(result.dtype).eps
    assert result.is_contiguous() and result.shape == expected.shape
    atol = eps / 16 * float(expected.abs().max()) if expected.numel() else 0
    torch.testing.assert_close(result.double(), expected, rtol=eps, atol=atol)


def right(ops, a, b, **scalars):
    close(ops.matmul(a, b, **scalars), a.double() @ b.double())


def layouts(*shape, extra=0, begins=0, dtype=torch.bfloat16):
    """A matrix of that shape as it is, and as a transposed view: rows that lie `extra` elements apart, from an element on."""
    *batch, m, n = shape
    for transposed in False, True:
        rows, columns = (n, m) if transposed else (m, n)
        x = random(*batch, rows, columns + extra + begins, dtype=dtype)[..., begins : begins + columns]
        yield x.mT if transposed else x


# ---- right -----------------------------------------------------------------------------------------------------------
# M, N, K: one of each, parts of tiles; a tile and one more in each direction; rows at multiples of 16 bytes, and anywhere.
SHAPES = (1, 1, 1), (3, 72, 8), (65, 33, 70), (136, 264, 200)


@per_dtype
@of_steps("direct", *RUNGS, *TILES)
def test_every_layout(ops, step, dtype, thread_order):
    for m, n, k in SHAPES:
        for a, b in itertools.product(layouts(m, k, dtype=dtype), layouts(k, n, dtype=dtype)):
            right(ops, a, b, step=step)


@pytest.mark.kernels
@pytest.mark.parametrize("step", ("ring", "64x128", "64x64 k/2", "direct"))
def test_rows_apart_that_begin_anywhere(ops, step):
    for extra, begins in (1, 0), (8, 0), (3, 1), (8, 8), (0, 2):
        for a, b in itertools.product(layouts(66, 72, extra=extra, begins=begins), layouts(72, 70, extra=extra)):
            right(ops, a, b, step=step)


@pytest.mark.parametrize("step", ("first", "ring", "64x64", "2x128x256", "64x128 k/2", "direct"))
def test_batches(ops, step):
    for z, m, n, k in (3, 5, 4, 7), (2, 70, 72, 136), (1, 3, 3, 3), (0, 4, 4, 4), (3, 2, 2, 0):
        for a, b in itertools.product(layouts(z, m, k), layouts(z, k, n)):
            right(ops, a, b, step=step)
        right(ops, random(z, m, k), random(k, n), step=step)
        right(ops, random(m, k), random(z, k, n), step=step)
        right(ops, random(z, k, m).mT, random(k, n), step=step)  # no tall matrix
        right(ops, random(m, z, k).transpose(0, 1), random(n, z, k).permute(1, 2, 0), step=step)


def test_strides_that_need_a_copy_and_those_that_do_not(ops):
    x = random(40, 64)
    right(ops, x[:, ::2], random(32, 7))
    right(ops, random(1, 16).expand(5, 16), random(16, 1).expand(16, 4))
    right(ops, random(1, 1, 1).expand(3, 4, 5), random(5, 2))
    right(ops, random(4, 8).expand(3, 4, 8), random(2, 8).mT.expand(3, 8, 2))
    right(ops, random(64).as_strided((5, 16), (8, 1)), random(16, 3))  # rows that overlap
    right(ops, x[3:4, ::3], x[:22, 5:6])  # one row, one column


@of_steps(*DIVIDED)
def test_a_cluster_for_each_tile(ops, step, thread_order):
    """A part of k for each block: all of them, some, or one have something to multiply."""
    rows, columns = map(int, re.search(r"(\d+)x(\d+) ", step).groups())
    for m, n, k in (3, 5, 64 * 19), (rows + 1, 2 * columns, 64 * 5), (rows, columns + 30, 65), (2, columns + 3, 130):
        right(ops, random(m, k), random(n, k).mT, step=step)


def test_bands(ops):
    """More than 16 tiles down: 16 make a band. On a CPU, each block makes several tiles."""
    right(ops, random(64 * 35 + 3, 8), random(8, 200), step="64x64")
    right(ops, random(64 * 19 + 3, 8), random(8, 200), step="2x128x128")
    for step in "192x128", "128x256", "2x128x192":
        right(ops, random(64 * 35 + 3, 8), random(8, 264), step=step)
        right(ops, random(64 * 35 + 3, 8), random(8, 263), step=step)


def test_warpgroups_take_turns(ops, thread_order):
    """On a CPU, 12 tiles for four teams of two warpgroups; fewer and more steps than the ring's six buffers."""
    for k, n in (64 * 2, 200), (64 * 7 + 8, 199), (64 * 13, 200):
        right(ops, random(256 * 5 + 3, k), random(k, n), step="2x128x128")


def test_nothing_to_add_is_zero(ops):
    for step in "auto", "fallback", "direct", *RUNGS, *TILES, *DIVIDED:
        assert (ops.matmul(random(33, 0), random(0, 5), step=step) == 0).all()
    for m, n in (0, 3), (3, 0):
        assert ops.matmul(random(m, 5), random(5, n)).shape == (m, n)


@per_dtype
def test_the_fallback(ops, dtype):
    """As on a GPU without wgmma."""
    for m, n, k in SHAPES:
        for a, b in itertools.product(layouts(m, k, dtype=dtype), layouts(k, n, dtype=dtype)):
            right(ops, a, b, step="fallback")
    x, weight, bias = random(33, 20, dtype=dtype), random(15, 20, dtype=dtype), random(15, dtype=dtype)
    for approximate in "none", "tanh":
        result = ops.linear_gelu(x, weight, bias, approximate=approximate, step="fallback")
        h = (x.double() @ weight.double().mT).to(dtype).double() + bias.double()  # rounded once in between
        close(result, F.gelu(h, approximate=approximate))


@pytest.mark.thorough
def test_the_choice_of_a_tile_is_right_everywhere(ops):
    for m, n, k in (1, 3000, 64), (64, 512, 4096), (512, 512, 512), (200, 1100, 72), (1100, 40, 136), (700, 700, 64):
        for a_transposed, b_transposed in itertools.product((False, True), repeat=2):
            a = random(k, m).mT if a_transposed else random(m, k)
            b = random(n, k).mT if b_transposed else random(k, n)
            right(ops, a, b)


@pytest.mark.thorough
@needs_gpu_memory(40)
def test_more_than_2_31_results(ops):
    a, b = random(2**16 + 1, 3), random(3, 2**16 - 1)
    for step in (*RUNGS, *TILES):
        close(ops.matmul(a, b, step=step)[-2:], a[-2:].double() @ b.double())


# ---- exactness -------------------------------------------------------------------------------------------------------
@per_dtype
@pytest.mark.parametrize("step", ("direct", *RUNGS, *TILES, "64x64 k/8"))
def test_integers_are_exact(ops, step, dtype):
    shapes = (70, 840), (840, 90)  # 14 steps along k: more than any ring has buffers
    a, b = (torch.randint(-2, 3, shape, device=device).to(dtype) for shape in shapes)
    expected = a.double() @ b.double()
    assert torch.equal(ops.matmul(a, b, step=step), expected.to(dtype))


@pytest.mark.parametrize("step", ("direct", *RUNGS, *TILES, "192x128 k/2"))
def test_infinities_and_nan_stay_in_their_row_or_column(ops, step):
    """... and what TMA puts past the edges is 0, which would make NaN of an infinity if it were multiplied by it."""
    a, b = torch.ones(70, 130, device=device).bfloat16(), torch.ones(130, 70, device=device).bfloat16()
    a[3, 129], a[5, 0], b[7, 69] = infinity, nan, -infinity
    result = ops.matmul(a, b, step=step)
    torch.testing.assert_close(result.double(), a.double() @ b.double(), equal_nan=True)
    assert result.isfinite().sum() == 68 * 69


def test_overflow_is_infinity(ops):
    a = torch.full((4, 64), 200.0, dtype=torch.float16, device=device)
    assert (ops.matmul(a, a.mT) == infinity).all() and (ops.matmul(-a, a.mT) == -infinity).all()


def test_the_same_bits_each_time(ops):
    a, b = random(70, 600), random(600, 140)
    for step in (*RUNGS, *(f"{tile} k/4" for tile in OF_PARTS)):
        assert torch.equal(ops.matmul(a, b, step=step), ops.matmul(a, b, step=step))


# ---- bias and GELU ---------------------------------------------------------------------------------------------------
@per_dtype
@of_steps(*TILES, "64x128 k/2", "192x128 k/4")
def test_linear_gelu(ops, step, dtype):
    for m, n, k in (3, 5, 7), (70, 264, 136), (130, 71, 200):
        x, weight, bias = random(m, k, dtype=dtype), random(n, k, dtype=dtype), random(n + 1, dtype=dtype)[1:]
        for approximate in "none", "tanh":
            result = ops.linear_gelu(x, weight / k**0.5, bias, approximate=approximate, step=step)
            close(result, linear_gelu(x.double(), weight / k**0.5, bias, approximate))


def test_linear_gelu_of_views(ops):
    """Its kernel takes rows of k numbers that lie one after another; other views are copied."""
    for x, weight in (
        (random(72, 40).mT, random(24, 72)),
        (random(40, 72), random(72, 24).mT),
        (random(2, 9, 8)[..., ::2], random(3, 4)),
    ):
        close(
            ops.linear_gelu(x, weight, random(len(weight)) * 0),
            linear_gelu(x.double(), weight, random(len(weight)) * 0, "none"),
        )


def exact_gelu(x, approximate):
    """F.gelu of float64 adds 1 to erf(x) or tanh(x): where these are almost -1, no digit is left."""
    if approximate == "none":
        return x / 2 * torch.erfc(-x / 2**0.5)
    return x / (1 + torch.exp(-2 * (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


@per_dtype
@pytest.mark.parametrize("approximate", ("none", "tanh"))
@pytest.mark.parametrize("step", ("auto", pytest.param("fallback", marks=pytest.mark.thorough)))
def test_gelu_of_every_number(ops, step, approximate, dtype):
    """Each of the 65536, times a weight of 1: an error norm over random numbers would hide the tail."""
    x = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype).view(-1, 1).to(device)
    one, zero = torch.ones(1, 1, dtype=dtype, device=device), torch.zeros(1, dtype=dtype, device=device)
    result = ops.linear_gelu(x, one, zero, approximate=approximate, step=step)
    expected = exact_gelu(x.double(), approximate).to(dtype)
    # A unit in the last place at most; below 1e-36 the kernel may give 0, as it does for what float cannot hold.
    atol = max(1e-36, torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps)
    torch.testing.assert_close(result, expected, rtol=torch.finfo(dtype).eps, atol=atol, equal_nan=True)
    assert (result == expected)[expected.isfinite()].double().mean() > 0.98
    odd = x.isinf() | x.isnan()
    assert torch.equal(result[odd].isnan(), F.gelu(x.double(), approximate=approximate)[odd].isnan())


# ---- torch -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shapes", [((3, 8), (8, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (2, 4, 5))])
def test_gradients_of_every_mix_of_batches(ops, shapes):
    leaves = [random(*shape).requires_grad_() for shape in shapes]
    for wanted in leaves, leaves[:1], leaves[1:]:
        ours, expected = (torch.autograd.grad(f(*leaves).sin().sum(), wanted) for f in (ops.matmul, torch.matmul))
        torch.testing.assert_close(ours, expected, rtol=0.02, atol=0.05)


@pytest.mark.parametrize("approximate", ("none", "tanh"))
@pytest.mark.parametrize("batch", ((), (2,)))
def test_gradients_of_linear_gelu(ops, approximate, batch):
    leaves = [x.requires_grad_() for x in (random(*batch, 6, 16), random(5, 16) / 4, random(5))]

    def torchs(x, weight, bias):
        return F.gelu(F.linear(x, weight, bias), approximate=approximate)

    def ours(*args):
        return ops.linear_gelu(*args, approximate=approximate)

    def both(f, leaves):
        first = torch.autograd.grad(f(*leaves).sin().sum(), leaves, create_graph=True)
        return *first, *torch.autograd.grad(sum(g.square().sum() for g in first), leaves)

    exact = both(torchs, [x.detach().double().requires_grad_() for x in leaves])
    for result, right in zip(both(ours, leaves), exact, strict=True):
        assert (result.double() - right).norm() <= 0.02 * right.norm()


def test_autocast_takes_the_regions_dtype(ops):
    a, b, bias = torch.randn(3, 8, device=device), torch.randn(8, 5, device=device), torch.randn(5, device=device)
    for dtype in torch.float16, torch.bfloat16:
        with torch.autocast(device.type, dtype=dtype):
            assert ops.matmul(a, b).dtype == ops.linear_gelu(a, b.mT, bias).dtype == dtype
            assert torch.equal(ops.matmul(a, b), ops.matmul(a.to(dtype), b.to(dtype)))


def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    a, b, bias = random(3, 4), random(4, 5), random(5)
    for words, call in {
        "a must have dtype Half or BFloat16, got ": lambda a, b, bias: ops.matmul(a.float(), b),
        "b must have dtype BFloat16, got ": lambda a, b, bias: ops.matmul(a, b.half()),
        "step must be auto, fallback, direct, .* or 192x128 k/8, got x": lambda a, b, bias: ops.matmul(a, b, step="x"),
        "x must have 2 or 3 dimensions, got 1": lambda a, b, bias: ops.linear_gelu(a[0], b.mT, bias),
        r"weight must have the shape \[n, 4\], as x has the shape .*, got ": lambda a, b, bias: ops.linear_gelu(a, b, bias),
        r"bias must have the shape \[5\], as weight has .*, got ": lambda a, b, bias: ops.linear_gelu(a, b.mT, bias[1:]),
        "bias must have dtype BFloat16, got ": lambda a, b, bias: ops.linear_gelu(a, b.mT, bias.float()),
        "approximate must be none or tanh, got x": lambda a, b, bias: ops.linear_gelu(a, b.mT, bias, approximate="x"),
        "a tile, as the others know no bias, got ring": lambda a, b, bias: ops.linear_gelu(a, b.mT, bias, step="ring"),
    }.items():  # fmt: skip
        for where in a.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(a.to(where), b.to(where), bias.to(where))


# ---- what nvcc makes of the kernels ----------------------------------------------------------------------------------
nvcc_once = pytest.mark.xdist_group("18 nvcc")  # one process compiles for all three: 40 s


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The machine code of the kernels of wgmma.cu, divided.cu and direct.cu, and what ptxas says of them."""
    found, heard = [], ""
    for name, count in ("wgmma", 5 * len(TILES)), ("divided", 5 * len(OF_PARTS)), ("direct", 4):
        kernels, said = machine_code(ROOT / f"chapters/18_wgmma/{name}.cu", tmp_path_factory.mktemp(name), "sm_90a")
        assert len(kernels) == 2 * count  # two dtypes; four layouts, and GELU
        found += kernels.values()
        heard += said
    return found, heard


@nvcc_once
@pytest.mark.thorough
def test_nvcc_keeps_all_sums_in_registers(compiled):
    """No local memory; and no warning that wgmma waits where it need not (C7508, C7510, C7515)."""
    kernels, said = compiled
    assert spills(said) == [NO_SPILLS] * len(kernels)
    assert not re.search(r"C7\d\d\d|warning", said)


@pytest.mark.thorough
def test_nvcc_keeps_the_ladders_sums_in_registers(tmp_path):
    """5 s"""
    kernels, said = machine_code(ROOT / "chapters/18_wgmma/ladder.cu", tmp_path, "sm_90a")
    assert len(kernels) == 2 * 4 * len(RUNGS) and spills(said) == [NO_SPILLS] * len(kernels)
    assert not re.search(r"C7\d\d\d|warning", said) and all("HGMMA" in kernel for kernel in kernels.values())


@nvcc_once
@pytest.mark.thorough
def test_the_machine_code_has_wgmma_and_no_fence_in_its_loop(compiled):
    for kernel in compiled[0]:
        first, last = kernel.index("HGMMA"), kernel.rindex("HGMMA")
        assert "MEMBAR" not in kernel[first:last] and kernel.count("HGMMA") >= 4


@pytest.mark.thorough
@pytest.mark.parametrize("name", ("wgmma", "divided", "direct", "copy_rows", "ladder", "gelu"))
def test_other_gpus_get_empty_kernels(tmp_path, name):
    """There `auto` takes chapter 17's. 4 s"""
    kernels, _ = machine_code(ROOT / f"chapters/18_wgmma/{name}.cu", tmp_path, "sm_80")
    assert kernels and not any("HGMMA" in kernel for kernel in kernels.values())


@nvcc_once
@pytest.mark.thorough
def test_a_kernel_waits_for_the_copy_of_rows_before_it_loads(compiled):
    """griddepcontrol.wait is ACQBULK in machine code, a load by TMA is UTMALDG. On a GPU, a missing wait is seen rarely."""
    copying = [kernel for kernel in compiled[0] if "UTMALDG" in kernel]
    assert len(copying) == 2 * 5 * (len(TILES) + len(OF_PARTS))
    for kernel in copying:
        assert kernel.count("ACQBULK") == 1 and kernel.index("ACQBULK") < kernel.index("UTMALDG")


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """name -> (what that function of pitfalls.cu makes of two matrices, their product)"""
    functions = launchers(ROOT / "tests/chapters/18_wgmma/pitfalls.cu")

    def call(name):
        blocks = 2 if name in ("pair", "leaves_early", "rank_in_descriptor") else 1
        a, b = random(64, 128), random(64 * blocks, 128)
        out = torch.zeros(64 * blocks, 64 * blocks, device=device)
        getattr(functions, name)(out, a, b)
        return out, (a.double() @ (b if blocks == 2 else b.mT).double()).float().repeat(blocks, 1)

    return call


def test_without_a_mistake_they_are_right(pitfall, thread_order):
    for name in "right", "pair":
        torch.testing.assert_close(*pitfall(name), rtol=1e-4, atol=1e-4)


only_cpu = pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU, or it ends the context")


@only_cpu
def test_pitfall_a_parity_that_stays(pitfall):
    """A wait for parity 0 passes at once while the second phase lasts; when that is over, it waits for the third."""
    with pytest.raises(RuntimeError, match="spin in mbarrier.try_wait for parity 0, and the phase has parity 0"):
        pitfall("one_parity")


@only_cpu
def test_pitfall_sums_read_before_the_wait(pitfall):
    assert pitfall("reads_too_early")[0].isnan().all()


@only_cpu
def test_pitfall_no_fence_before_the_first_wgmma(pitfall):
    with pytest.raises(RuntimeError, match=r"no wgmma.fence since .* and the thread has used the registers"):
        pitfall("no_fence")


@only_cpu
def test_pitfall_a_box_that_begins_between_multiples_of_16_bytes(pitfall):
    with pytest.raises(RuntimeError, match="illegal instruction"):
        pitfall("begins_anywhere")


@only_cpu
def test_pitfall_a_barrier_that_expects_too_few_bytes(pitfall):
    """The phase ends with the first box, and wgmma reads the second one's place."""
    with pytest.raises(RuntimeError, match="wgmma at .*hopper.h:.* reads shared memory"):
        pitfall("too_few_bytes")


@only_cpu
def test_pitfall_a_tensor_map_that_the_driver_refused(pitfall):
    with pytest.raises(RuntimeError, match="not that of a tensor map"):
        pitfall("map_refused")


@only_cpu
def test_pitfall_a_block_leaves_while_its_neighbour_copies_into_it(pitfall):
    with pytest.raises(RuntimeError, match="has returned"):
        pitfall("leaves_early")


@only_cpu
def test_pitfall_the_rank_of_a_block_in_a_descriptor(pitfall):
    """Block 0 is right; for block 1 the bits of its rank fall into the distance between columns of boxes."""
    with pytest.raises(RuntimeError, match=r"block \(1, 0, 0\).*the descriptor of B, .* lead out of every array"):
        pitfall("rank_in_descriptor")
