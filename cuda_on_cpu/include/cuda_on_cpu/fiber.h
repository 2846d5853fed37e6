// A fiber is a stack of its own, and the registers of a function that was left in the middle. switch_to() leaves one
// fiber and goes on in another, where that one was left. One host thread runs them all: only one of them at a time.
#pragma once

#include <sys/mman.h>

#include "cuda_on_cpu/keywords.h"

// AddressSanitizer must be told when the stack changes.
#if defined(__SANITIZE_ADDRESS__)
#define CUDA_ON_CPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_ON_CPU_ASAN 1
#endif
#endif
#ifdef CUDA_ON_CPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// cuda_on_cpu_switch(&from, to): push the registers that a call must preserve, store the stack pointer in `from`, load
// it from `to`, pop the registers that were pushed there, and return to where *that* stack came from.
// Weak and hidden: every file of a .so has a copy, the linker keeps one, and no other .so finds it.
#ifdef __APPLE__
#define CUDA_ON_CPU_FUNCTION(name) \
    ".text\n.globl _" name "\n.private_extern _" name "\n.weak_definition _" name "\n.p2align 4\n_" name ":\n"
#define CUDA_ON_CPU_FUNCTION_END "\n"
#else
#define CUDA_ON_CPU_FUNCTION(name) \
    ".pushsection .text\n.weak " name "\n.hidden " name "\n.type " name ", %function\n.p2align 4\n" name ":\n"
#define CUDA_ON_CPU_FUNCTION_END "\n.popsection\n"
#endif

#if defined(__x86_64__)
asm(CUDA_ON_CPU_FUNCTION("cuda_on_cpu_switch")
    "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp, (%rdi)\n"
    "mov %rsi, %rsp\n"
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
    "ret"
    CUDA_ON_CPU_FUNCTION_END);
#elif defined(__aarch64__)
asm(CUDA_ON_CPU_FUNCTION("cuda_on_cpu_switch")
    "stp x19, x20, [sp, #-160]!\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
    "stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mov x9, sp\n str x9, [x0]\n"
    "mov sp, x1\n"
    "ldp d14, d15, [sp, #144]\n ldp d12, d13, [sp, #128]\n ldp d10, d11, [sp, #112]\n ldp d8, d9, [sp, #96]\n"
    "ldp x29, x30, [sp, #80]\n ldp x27, x28, [sp, #64]\n"
    "ldp x25, x26, [sp, #48]\n ldp x23, x24, [sp, #32]\n ldp x21, x22, [sp, #16]\n ldp x19, x20, [sp], #160\n"
    "ret"
    CUDA_ON_CPU_FUNCTION_END);
#else
#error "CUDA on CPU supports x86-64 and AArch64 only"
#endif

#pragma GCC visibility push(hidden)

extern "C" void cuda_on_cpu_switch(void** from, void* to);

namespace cuda_on_cpu {

class Fiber {
public:
    // The next switch to this fiber calls body(), which must not return: it ends with switch_to(next, true).
    // `number` moves the start of the stack a little, because threads run in step: if all their stacks began at the
    // same place in a page, they would evict one another from the same few lines of the cache.
    CUDA_ON_CPU_UNRECORDED void start(void (*body)(), unsigned number) {
        if (!bottom_) allocate();
        // What cuda_on_cpu_switch() pops: zeros (a debugger stops at a zero return address), and where to go.
#if defined(__x86_64__)
        constexpr int words = 8, return_address = 6;
#else
        constexpr int words = 20, return_address = 11;
#endif
        void** frame = reinterpret_cast<void**>(bottom_ + size_ - number % 32 * 256) - words;
        memset(frame, 0, words * sizeof(void*));
        frame[return_address] = reinterpret_cast<void*>(body);
        stack_pointer_ = frame;
    }

    // Leaves this fiber, which is the one that runs, and continues another. With `for_ever` no switch leads back.
    CUDA_ON_CPU_UNRECORDED void switch_to(Fiber& other, [[maybe_unused]] bool for_ever = false) {
#ifdef CUDA_ON_CPU_ASAN
        left_ = this;
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake_stack_, other.bottom_, other.size_);
#endif
        cuda_on_cpu_switch(&stack_pointer_, other.stack_pointer_);
        arrived();
    }

    // Called on a stack right after the switch to it; `body` does so too.
    CUDA_ON_CPU_UNRECORDED void arrived() {
#ifdef CUDA_ON_CPU_ASAN
        // Also fills in where the stack lies that was left; for the host thread's own there is no other way to know.
        const void* bottom;
        __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &left_->size_);
        left_->bottom_ = static_cast<char*>(const_cast<void*>(bottom));
        fake_stack_ = nullptr;
#endif
    }

    CUDA_ON_CPU_UNRECORDED const void* stack() const { return bottom_; }
    CUDA_ON_CPU_UNRECORDED size_t stack_bytes() const { return size_; }

private:
    void allocate() {
        const size_t page = sysconf(_SC_PAGESIZE);
        size_ = 256 * 1024;  // the system gives memory only to the pages that are touched
        void* memory = mmap(nullptr, page + size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory, page, PROT_NONE);  // an overflow stops here, instead of writing into another thread's stack
        bottom_ = static_cast<char*>(memory) + page;
    }

    static inline Fiber* left_;
    void* stack_pointer_;
    char* bottom_;
    size_t size_;
    [[maybe_unused]] void* fake_stack_;  // AddressSanitizer's
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
