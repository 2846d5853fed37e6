"""The chart of chapter 07, and its figures as a table."""

import itertools
import math

from common.timing import format_seconds
from tools.maintain.charts import GREY


def training(axes, _, training):
    """Left: the largest difference so far between a model's loss and the loss with torch's operations, over the steps. It is
    smallest for C++ in float64, and largest for a wrong gradient. Right: the time of a step, with C++, Python and torch."""
    left, right = axes.figure.add_gridspec(1, 2, width_ratios=[5, 3])
    axes.set_subplotspec(left)
    for label, dtype, model in (
        ("wrong gradient, float32", "float32", "wrong"),
        ("C++, float32", "float32", "C++"),
        ("C++, float64", "float64", "C++"),
    ):
        curve = training["differences"][dtype][model]
        most = [value or math.nan for value in itertools.accumulate(curve, max)]
        axes.plot(range(1, len(most) + 1), most, label=label, markevery=(20, 50))
    axes.set(xlabel="steps", ylabel="largest difference from torch's loss so far")
    axes.set(yscale="log", ylim=(1e-17, 1e5), xlim=(0, training["steps"]))
    axes.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1])
    bars = axes.figure.add_subplot(right)
    models = ["torch", "Python", "C++"]
    milliseconds = [1e3 * training["seconds"][model] for model in models]
    bars.barh(models, milliseconds, height=0.5, color=GREY)
    bars.set(xlabel="ms a step", ylim=(-0.6, 2.6))


def training_rows(training):
    """The losses as a table: a row for each model."""
    steps = [0, training["steps"] // 4, training["steps"] // 2, training["steps"] - 1]
    for model, losses in training["losses"].items():
        shown = {f"loss before step {step + 1}": f"{losses[step]:.4g}" for step in steps}
        yield {"": model, **shown, "a step": format_seconds(training["seconds"][model])}
