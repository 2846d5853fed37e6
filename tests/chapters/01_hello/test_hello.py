"""Chapter 01: what load_inline builds and writes."""

from pathlib import Path

import pytest

from common import progress
from common.cpp_extension import load_inline
from tests.support import chapter, operators


def test_hello():
    assert operators("01_hello").hello() == "Hello World!"


@pytest.mark.kernels
def test_every_thread_writes_its_letter(thread_order):
    for _ in range(3):
        assert operators("01_hello").hello_gpu() == "Hello World!"


def test_arguments_are_refused():
    with pytest.raises(TypeError, match=r"hello_gpu\(\): incompatible function arguments"):
        operators("01_hello").hello_gpu(3)


def test_python_sees_only_functions():
    with pytest.raises(AttributeError, match="module 'hello' has no attribute 'launch_hello'"):
        operators("01_hello").launch_hello()


def test_load_inline_writes_what_the_note_says():
    folder = Path(operators("01_hello").__file__).parent
    main = (folder / "main.cpp").read_text()
    assert main.startswith((chapter("01_hello").here / "hello.cpp").read_text())
    assert 'm.def("hello_gpu", torch::wrap_pybind_function(hello_gpu), "hello_gpu");' in main
    assert (folder / "cuda.cu").read_text() == (chapter("01_hello").here / "hello.cu").read_text()
    assert "rule compile" in (folder / "build.ninja").read_text()


@pytest.mark.thorough
def test_build_directory_need_not_exist(tmp_path):
    folder = tmp_path / "not" / "yet" / "there"
    source = """
        #include <pybind11/pybind11.h>
        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("hello", [] { return "Hello World!"; }); }
    """
    module = load_inline("my_module", [source], no_implicit_headers=True, build_directory=str(folder))
    assert module.hello() == "Hello World!" and (folder / "my_module.so").exists()


@pytest.mark.thorough
def test_a_function_that_does_not_exist_is_the_compilers_error(tmp_path):
    with pytest.raises(progress.BuildError, match="good_bye.* was not declared|undeclared identifier 'good_bye'"):
        chapter("01_hello").build(name="bad", functions=["good_bye"], build_directory=str(tmp_path))
