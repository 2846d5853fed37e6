"""Your answers. Each is None until you know it."""

# The library is built and installed, and consumer, which links the installed library, is built as well. Now you change the
# kernel in axpy.cu. Which of the library's commands "configure", "build" and "install" must run again, so that consumer uses
# the new kernel? Write a list, in this order.
# your code
COMMANDS = None
# end of your code

# Must consumer be built again as well? "yes" or "no".
# your code
CONSUMER = None
# end of your code

# You write PRIVATE before `cuda torch` in CMakeLists.txt. Which of "axpy.cpp", "binding.cpp" and "main.cpp" no longer compile?
# Write a list, in this order.
# your code
PRIVATE = None
# end of your code

# You remove ${TORCH_PYTHON} instead. What fails first on Linux: to "compile", to "link" or to "import" the module?
# your code
TORCH_PYTHON = None
# end of your code

# You configure consumer with /tmp/axpy alone as CMAKE_PREFIX_PATH. Which package is not found: "axpy" or "torch"?
# your code
FOLDER = None
# end of your code
