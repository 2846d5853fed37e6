// CPU builds of torch lack it.
#pragma once
#include <ATen/cuda/DeviceUtils.cuh>
