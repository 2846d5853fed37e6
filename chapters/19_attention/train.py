"""A small language model that learns the text of this course, letter by letter: `make chapter19 ARGS=--train`.

Its operators are those of chapters 13, 14, 18 and 19. The same model with torch's own operators begins with the same weights
and reads the same letters, so the losses of both have to stay together.
"""

import time
from dataclasses import dataclass
from statistics import median
from types import SimpleNamespace

import torch
import torch.nn.functional as F

from common import device
from tools.chapters import folders, load

ON_GPU = device.type == "cuda"
HEAD = 64  # elements of a head's rows


@dataclass
class Size:
    width: int  # elements that the model keeps of each letter, heads * HEAD
    blocks: int
    batch: int  # pieces of text that it reads in a step
    length: int  # letters of a piece
    steps: int


SIZE = Size(width=1024, blocks=6, batch=16, length=1024, steps=300) if ON_GPU else Size(64, 1, 1, 64, 10)


def operators(attention):
    """{name: five operators}: this chapter's and those of other chapters, built, and what they are compared with there."""
    of_13, of_14, of_18 = (load(folders()[number] / "main.py") for number in ("13", "14", "18"))
    softmax, rms_norm, products = (main.build() for main in (of_13, of_14, of_18))
    ours = SimpleNamespace(
        matmul=products.matmul,
        linear_gelu=products.linear_gelu,
        softmax=softmax.softmax,
        add_rms_norm=rms_norm.add_rms_norm,
        attention=lambda q, k, v: attention(q, k, v, causal=True),
    )
    torchs = SimpleNamespace(
        matmul=torch.matmul,
        linear_gelu=of_18.torch_linear_gelu,
        softmax=of_13.torch_softmax,
        add_rms_norm=of_14.torch_add_rms_norm,
        attention=lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    )
    return {"ours": ours, "torch": torchs}


# ---- the model -------------------------------------------------------------------------------------------------------
class Block(torch.nn.Module):
    """Attention between letters, then two layers for each letter by itself. Each adds an update to what is known, x."""

    def __init__(self, ops, width):
        super().__init__()
        self.ops = ops
        self.norms = torch.nn.ParameterList([torch.ones(width), torch.ones(width)])
        self.qkv, self.project = weights(width, 3 * width), weights(width, width)
        self.wider, self.bias, self.narrower = weights(4 * width, width), zeros(4 * width), weights(4 * width, width)

    def forward(self, update, x):
        ops = self.ops
        h, x = ops.add_rms_norm(update, x, self.norms[0])
        q, k, v = (
            ops.matmul(h, self.qkv).unflatten(-1, (3, -1, HEAD)).permute(2, 0, 3, 1, 4)
        )  # views: nothing is copied
        seen = ops.attention(q, k, v).transpose(1, 2).flatten(2)
        h, x = ops.add_rms_norm(ops.matmul(seen, self.project), x, self.norms[1])
        return ops.matmul(ops.linear_gelu(h, self.wider, self.bias), self.narrower), x


class Model(torch.nn.Module):
    """forward(letters), numbers [batch, length], returns the mean loss of guessing each letter from those before it."""

    def __init__(self, ops, letters, size):
        super().__init__()
        self.ops = ops
        self.letter, self.place = weights(letters, size.width), weights(size.length, size.width)
        self.blocks = torch.nn.ModuleList(Block(ops, size.width) for _ in range(size.blocks))
        self.norm, self.guess = torch.nn.Parameter(torch.ones(size.width)), weights(size.width, letters)

    def forward(self, letters):
        given, wanted = letters[:, :-1], letters[:, 1:]
        update = F.embedding(given, self.letter)
        x = self.place.expand_as(update).contiguous()
        for block in self.blocks:
            update, x = block(update, x)
        h, _ = self.ops.add_rms_norm(update, x, self.norm)
        chances = self.ops.softmax(self.ops.matmul(h, self.guess).float())
        return -chances.gather(-1, wanted[..., None]).log().mean()


def weights(*shape):
    return torch.nn.Parameter(torch.randn(shape) * 0.02)


def zeros(*shape):
    return torch.nn.Parameter(torch.zeros(shape))


# ---- training --------------------------------------------------------------------------------------------------------
def text():
    """All lessons of this course, as one tensor of numbers, and how many different letters they have."""
    lessons = "".join((folder / "README.md").read_text() for folder in folders().values())
    letters = {letter: number for number, letter in enumerate(sorted(set(lessons)))}
    return torch.tensor([letters[letter] for letter in lessons], device=device), len(letters)


class Learner:
    """A model and what changes its weights. Without the warm-up and the clipping, the loss stays for long where guessing the
    commonest letters brings it, and roundings decide when it goes on: then the curves of the two models part."""

    def __init__(self, model, steps):
        self.model, self.optimizer = model, torch.optim.AdamW(model.parameters(), lr=1e-3)
        warm_up = max(1, steps // 6)
        self.rate = torch.optim.lr_scheduler.LinearLR(self.optimizer, 1 / warm_up, total_iters=warm_up)

    def step(self, letters):
        """Returns the loss before the step, and the seconds that it took."""
        start = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16):
            loss = self.model(letters)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1)
        self.optimizer.step()
        self.rate.step()
        self.optimizer.zero_grad()
        loss = loss.item()  # waits for the GPU
        return loss, time.perf_counter() - start


def train(attention, size=SIZE, seed=0):
    """Trains both models, step by step in turns. Returns {name: [(loss, seconds) of each step]}, of "ours" and "torch"."""
    numbers, different = text()
    learners = {}
    for name, ops in operators(attention).items():
        torch.manual_seed(seed)  # the same weights
        learners[name] = Learner(Model(ops, different, size).to(device), size.steps)
    done = {name: [] for name in learners}
    print(f"train   a model of width {size.width} and depth {size.blocks} reads {size.batch} x {size.length} letters in a"
          f" step, of {len(numbers):,} in this course")  # fmt: skip
    print(f"{'':8}{'step':>6}{'loss, ours':>14}{'loss, torch':>14}")
    for step in range(size.steps):
        first = torch.randint(len(numbers) - size.length, (size.batch, 1))
        letters = numbers[(first + torch.arange(size.length + 1)).to(device)]
        for name, learner in learners.items():
            done[name].append(learner.step(letters))
        if step % (size.steps // 10 or 1) == 0 or step == size.steps - 1:
            print(f"{'':8}{step:6}{done['ours'][-1][0]:14.3f}{done['torch'][-1][0]:14.3f}", flush=True)
    if ON_GPU:  # without one, the seconds are those of CUDA on CPU
        steps = [median(seconds for _, seconds in of_model[size.steps // 10 :]) * 1e3 for of_model in done.values()]
        print(f"{'':8}a step takes {steps[0]:.1f} ms with our operators, {steps[1]:.1f} ms with torch's")
    return done
