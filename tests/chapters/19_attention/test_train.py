"""The small model of `make chapter19 ARGS=--train`. It needs chapters 13, 14 and 18 built. 4 s"""

import pytest
import torch

from common import device
from tests.support import chapter, operators

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def train():
    return chapter("19_attention", "train")


@pytest.fixture(scope="module")
def ops():
    return operators("19_attention")


def test_the_losses_stay_together(train, ops):
    size = train.Size(width=64, blocks=1, batch=1, length=64, steps=4)
    done = train.train(ops.attention, size)
    ours, theirs = (torch.tensor([loss for loss, _ in done[name]]) for name in ("ours", "torch"))
    assert len(ours) == 4 and theirs.std() > 0.01
    torch.testing.assert_close(ours, theirs, rtol=0, atol=5e-3)


def test_each_weight_gets_torchs_gradient(train, ops):
    """A loss says little about one weight. Two blocks, two heads."""
    size, gradients = train.Size(width=128, blocks=2, batch=2, length=33, steps=0), {}
    letters = torch.randint(50, (2, 34), device=device)
    for name, five in train.operators(ops.attention).items():
        torch.manual_seed(0)
        model = train.Model(five, 50, size).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            model(letters).backward()
        gradients[name] = {key: p.grad for key, p in model.named_parameters()}
    for key, right in gradients["torch"].items():
        assert (gradients["ours"][key] - right).norm() <= 0.05 * right.norm(), key
