"""What a registered operator can do that a pybind11 function cannot: `make chapter09` prints a line for each."""

import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from common import device

BACKEND = "inductor" if device.type == "cuda" else "aot_eager"  # on a CPU, inductor would spend long on C++


class Block(torch.nn.Module):
    """A part of a transformer's MLP."""

    def __init__(self, bias_gelu, columns=64):
        super().__init__()
        self.bias_gelu = bias_gelu
        self.linear = torch.nn.Linear(columns, columns, bias=False)
        self.bias = torch.nn.Parameter(torch.randn(columns))

    def forward(self, x):
        return 2 * self.bias_gelu(self.linear(x), self.bias)


class Log(TorchDispatchMode):
    """Sees every operator that reaches the dispatcher below autograd, and calls it."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **kwargs or {})


def block(op, rows=8):
    return Block(op).to(device), torch.randn(rows, 64, device=device)


def require(holds, what):
    if not holds:
        raise AssertionError(what)


def compile_in_one_graph(ops):
    model, x = block(ops.bias_gelu)
    compiled = torch.compile(model.bias_gelu, fullgraph=True, backend=BACKEND)
    require(torch.equal(compiled(x, model.bias), model.bias_gelu(x, model.bias)), "compiled, it gives other bits")
    return "one graph, and the same bits as without"


def cuda_graph(ops):
    if device.type == "cpu":
        return "needs a GPU"
    model, _ = block(ops.bias_gelu)
    compiled = torch.compile(model, fullgraph=True, mode="reduce-overhead")
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch suggests TF32 for products of matrices
        for _ in range(4):  # it records in an early call, and replays in the later ones
            x = torch.randn(8, 64, device=device)
            torch.testing.assert_close(compiled(x), model(x))
    return "one launch for the whole model, right for new values"


def export(ops):
    model, x = block(ops.bias_gelu)
    exported = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("rows", min=2)},))
    require("chapter09.bias_gelu.default" in str(exported.graph), "the operator is not in the graph")
    x = torch.randn(3, 64, device=device)
    require(torch.equal(exported.module()(x), model(x)), "exported, it gives other bits")
    return "chapter09.bias_gelu.default is in the graph, for any number of rows"


def without_memory(ops):
    x = torch.empty(2**20, 2**18, device="meta")
    y = ops.bias_gelu(x, x[0])
    require((y.shape, y.stride()) == (x.shape, x.stride()), "another shape, or other strides")
    return f"shape and strides of {x.nbytes / 2**40:.0f} TiB, computed without memory"


def autocast(ops):
    x, bias = torch.randn(8, 64, dtype=torch.bfloat16, device=device), torch.randn(64, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        result = ops.bias_gelu(x, bias)
    require(torch.equal(result, ops.bias_gelu(x.float(), bias)), "autocast gives another result")
    return "x of bfloat16 and bias of float32: computed in float32"


def vmap(ops):
    xs, biases = torch.randn(3, 8, 64, device=device), torch.randn(3, 64, device=device)
    result = torch.vmap(ops.bias_gelu)(xs, biases)
    require(torch.equal(result, torch.stack(list(map(ops.bias_gelu, xs, biases)))), "vmap gives another result")
    return "a call for each bias, one for all x that share a bias"


def modes(ops):
    model, x = block(ops.bias_gelu)
    with Log() as log, torch.no_grad():
        model(x)
    require("chapter09.bias_gelu.default" in log.seen, "it was not seen")
    return f"sees {', '.join(log.seen)}"


def gradients(ops):
    x, bias = (torch.randn(s, dtype=torch.float64, device=device, requires_grad=True) for s in ((3, 5), (5,)))
    torch.autograd.gradcheck(ops.bias_gelu, (x, bias))
    torch.autograd.gradgradcheck(ops.bias_gelu, (x, bias))
    return "ok"


def opcheck(ops):
    x, bias = torch.randn(3, 5, device=device), torch.randn(5, device=device)
    for op, args in (ops.bias_gelu, (x, bias)), (ops.bias_gelu_backward, (x, x, bias)), (ops.bias_gelu_, (x, bias)):
        tests = torch.library.opcheck(op, args)
    return f"{len(tests)} tests of each of the 3 operators: ok"


WAYS = {
    "torch.compile(fullgraph=True)": compile_in_one_graph,
    'mode="reduce-overhead"': cuda_graph,
    "torch.export": export,
    "meta tensors": without_memory,
    "autocast": autocast,
    "torch.vmap": vmap,
    "a TorchDispatchMode": modes,
    "gradcheck, gradgradcheck": gradients,
    "torch.library.opcheck": opcheck,
}


def main(ops):
    for way, function in WAYS.items():
        print(f"{'buys':8}{way:<32}{function(ops)}")


def graphs_of(op):
    """(How many graphs torch.compile makes of a model that calls op, what it says if only one is allowed)."""
    model, x = block(op)
    model.requires_grad_(False)  # the pybind11 function has no gradient
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says the same as the exception below
        torch.compiler.reset()
        graphs = []
        torch.compile(model, backend=lambda graph, inputs: graphs.append(graph) or graph.forward)(x)
        torch.compiler.reset()
        try:
            torch.compile(model, fullgraph=True, backend="eager")(x)
        except RuntimeError as error:
            return len(graphs), str(error).splitlines()[0]
    return len(graphs), "ok"


def graph_break(ops, module):
    for name, op in {"pybind11": module.bias_gelu, "torch.ops": ops.bias_gelu}.items():
        graphs, said = graphs_of(op)
        print(f"{'compile':8}{name:<12}{graphs} graph{'s' if graphs > 1 else ' '}   fullgraph=True: {said}")
