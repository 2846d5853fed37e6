// Stands in for torch's header. The tensors of CUDA on CPU are CPU tensors: a guard accepts them, and only them.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <optional>

#pragma GCC visibility push(hidden)

namespace c10::cuda {

class CUDAGuard {
public:
    explicit CUDAGuard(Device device) {
        set_device(device);
        seen(device.index());
    }
    explicit CUDAGuard(DeviceIndex index) {
        set_index(index);
        seen(index);
    }
    ~CUDAGuard() {
        if (cuda_on_cpu::watch) cuda_on_cpu::watch->guards--;
    }
    CUDAGuard(const CUDAGuard&) = delete;
    CUDAGuard& operator=(const CUDAGuard&) = delete;

    void set_device(Device device) {
        TORCH_CHECK(device.is_cpu(), "CUDA on CPU works on CPU tensors, got one on ", device);
    }
    void reset_device(Device device) { set_device(device); }
    void set_index(DeviceIndex index) {
        TORCH_CHECK(index <= 0, "CUDA error: invalid device ordinal (CUDA on CPU has one device, got ", int(index),
                    ")");
    }
    Device original_device() const { return Device(kCPU); }
    Device current_device() const { return Device(kCPU); }

private:
    static void seen(DeviceIndex index) {
        if (cuda_on_cpu::watch) cuda_on_cpu::watch->guards++, cuda_on_cpu::watch->guarded_device = index;
    }
};

class OptionalCUDAGuard {
public:
    OptionalCUDAGuard() = default;
    explicit OptionalCUDAGuard(std::optional<Device> device) {
        if (device) set_device(*device);
    }
    explicit OptionalCUDAGuard(std::optional<DeviceIndex> index) {
        if (index) set_index(*index);
    }
    OptionalCUDAGuard(const OptionalCUDAGuard&) = delete;
    OptionalCUDAGuard& operator=(const OptionalCUDAGuard&) = delete;

    void set_device(Device device) { guard_.emplace(device); }
    void reset_device(Device device) { guard_.emplace(device); }
    void set_index(DeviceIndex index) { guard_.emplace(index); }
    std::optional<Device> original_device() const { return device_if_set(); }
    std::optional<Device> current_device() const { return device_if_set(); }
    void reset() { guard_.reset(); }

private:
    std::optional<Device> device_if_set() const { return guard_ ? std::optional<Device>(Device(kCPU)) : std::nullopt; }
    std::optional<CUDAGuard> guard_;
};

class CUDAStreamGuard {
public:
    explicit CUDAStreamGuard(CUDAStream) {}
    CUDAStreamGuard(const CUDAStreamGuard&) = delete;
    CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
};

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
}  // namespace at::cuda

#pragma GCC visibility pop
