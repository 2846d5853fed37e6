"""Exports a model that uses bias_gelu, for a program without Python. CMakeLists.txt starts it for the target bias_gelu_pt2:

python model.py libbias_gelu.so bias_gelu.pt2
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from common import device, toolkit


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(1.0, 9.0))
        self.bias = torch.nn.Parameter(torch.arange(8.0) / 8)

    def forward(self, x):
        return torch.ops.chapter09.bias_gelu(torch.relu(x * self.weight), self.bias, approximate="tanh")


def export(package):
    """Writes the model, compiled for this device and for any number of rows."""
    x = torch.rand(4, 8, device=device)
    model = Model().to(device).requires_grad_(False)
    exported = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("rows")},))
    # The library that torch compiles has to share libstdc++ with torch: see common/cpp_extension.py.
    libraries = [":libstdc++.so.6"] if sys.platform == "linux" else []
    options = {"aot_inductor.custom_op_libs": libraries}
    torch._inductor.aoti_compile_and_package(exported, package_path=package, inductor_configs=options)


def main():
    library, package = sys.argv[1:]
    toolkit.prepare()  # on a GPU, torch's compiler needs CUDA's headers
    torch.ops.load_library(library)  # it has Meta and the kernel; a model that is not trained needs no library.py
    export(package)


if __name__ == "__main__":
    main()
