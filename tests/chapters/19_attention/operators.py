"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import Operator, Scalar

SCALARS = {
    "causal": Scalar("bool", False, (True,)),
    "scale": Scalar("float", 0.125, (0.5,), (0.0, -1.0, float("inf"), float("nan")), "positive"),
}
OF_GRADIENTS = {
    "deterministic": Scalar("bool", False, (True,)),
    "step": Scalar("str", "auto", ("portable", "hopper"), ("", "simple", "Hopper"), "auto, portable or hopper"),
}
STEPS = "auto, simple, portable, first, two, overlap, hopper, hopper 1, hopper 2 or hopper 3"
STEP = {"step": Scalar("str", "auto", ("simple", "portable"), ("", "Simple", "wgmma"), STEPS)}


def scores(q, k, causal=False, scale=None):
    """In float64, for each head of q. Keys that a query does not see have -infinity."""
    k = k.double().repeat_interleave(q.shape[1] // max(k.shape[1], 1), 1)
    s = q.double() @ k.mT * (scale or q.shape[-1] ** -0.5)
    unseen = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
    return s.masked_fill(unseen, -torch.inf) if causal else s


def attention(q, k, v, causal=False, scale=None, step="auto"):
    """In float64. A row without keys, or whose scores are all -infinity, is 0."""
    s = scores(q, k, causal, scale)
    p = s.softmax(-1).masked_fill((s == -torch.inf).all(-1, keepdim=True), 0)
    return p @ v.double().repeat_interleave(q.shape[1] // max(v.shape[1], 1), 1)


def attention_forward(q, k, v, causal=False, scale=None, step="auto"):
    return attention(q, k, v, causal, scale), scores(q, k, causal, scale).logsumexp(-1)


def attention_backward(grad, q, k, v, out, lse, causal=False, scale=None, deterministic=False, step="auto"):
    leaves = [x.double().requires_grad_() for x in (q, k, v)]
    return torch.autograd.grad(attention(*leaves, causal, scale), leaves, grad.double())


QKV = ("q", "k", "v")
COMMON = {"dtypes": (torch.float16, torch.bfloat16), "ranks": (4,), "strided": True, "differentiable": True,
          "dispatched": True, "stable": True, "apart": True, "shape": lambda n: (1, 2, n, 64)}  # fmt: skip

OPERATORS = [
    Operator("attention", QKV, attention, **COMMON, scalars=SCALARS | STEP),
    Operator("attention_forward", QKV, attention_forward, **COMMON, scalars=SCALARS | STEP),
    Operator("attention_backward", ("grad", *QKV, "out", "lse"), attention_backward, **COMMON,
             scalars=SCALARS | OF_GRADIENTS),
]  # fmt: skip
