// wgmma: four warps multiply a 64 x K matrix, in shared memory or in their registers, by a K x N matrix in shared
// memory, and add the product to what lies in their registers. It is asynchronous: nobody may use those registers until
// wgmma.wait_group.
//
// Here a thread that starts a product writes it down, and fills its sums with NaN of a special kind. When all 128
// threads have come, the products that a wait covers are worked out, as late as is allowed (or, with CUDA_REVERSE=1, as
// soon as the last thread has started one). The wait then puts the sums into the variables, if they still have their
// NaN: a dead or moved variable is never overwritten, and a kernel that reads too early gets NaN.
#pragma once

#include "cuda_on_cpu/wgmma_product.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

struct Wgmma {  // started by one thread
    WgmmaShape shape;
    WgmmaOperands operands;
    std::vector<uint32_t> slots;  // of its sums
    Location where;
};

struct WgmmaSlot {
    uint32_t bits;   // a sum's register
    uint64_t last;   // the number of the last product that changes it
    void* variable;  // of the kernel, which stands for it; null: it has its sum again
};

struct WgmmaThread {
    uint64_t done = 0;                // the number of the first product that is still to be worked out
    std::deque<Wgmma> products = {};  // from that one on
    std::deque<uint64_t> groups = {};
    std::vector<WgmmaSlot> slots = {};
    std::vector<WgmmaSlot> given_back = {};  // by the latest wait
    bool fenced = false;                     // by wgmma.fence, since then

    uint64_t end() const { return done + products.size(); }

    // Whether the latest wait has put these bits there. It is the nth sum, there too perhaps.
    bool is_as_given_back(const void* variable, uint32_t bits, size_t n) const {
        const auto is = [&](const WgmmaSlot& s) { return s.variable == variable && s.bits == bits; };
        return (n < given_back.size() && is(given_back[n])) || std::any_of(given_back.begin(), given_back.end(), is);
    }
};

struct Warpgroup {
    OfBlock block = {};
    std::array<WgmmaThread, 128> threads = {};
    uint64_t last_wait = 0;  // where the products end that some thread has waited for
};

inline Thread* first_of_warpgroup() { return &block.threads[self->rank / 128 * 128]; }
inline Warpgroup& warpgroup() {  // of the thread that runs
    static std::unordered_map<const Thread*, Warpgroup> all;
    static std::pair<const Thread*, Warpgroup*> latest = {};
    if (latest.first != first_of_warpgroup()) latest = {first_of_warpgroup(), &all[first_of_warpgroup()]};
    Warpgroup& group = *latest.second;
    if (!group.block.is(blockIdx)) group = {{launch_number, blockIdx}};
    return group;
}
inline WgmmaThread& wgmma_thread() { return warpgroup().threads[self->rank % 128]; }

// NaN (of integers an unlikely number) that say which slot of its thread a sum is in.
inline uint32_t slot_mark(Sum sum, size_t slot) {
    const auto s = uint32_t(slot);
    if (sum == Sum::f16) return 0x7e007e00 | (s & 0x1ff) | (s >> 9 & 0x1ff) << 16;
    return (sum == Sum::f32 ? 0x7fe00000 : 0x5bad0000) | s;
}
inline size_t slot_of_mark(Sum sum, uint32_t bits) {
    const uint32_t s = sum == Sum::f16 ? (bits & 0x1ff) | (bits >> 16 & 0x1ff) << 9 : bits & 0xffff;
    return slot_mark(sum, s) == bits ? s : SIZE_MAX;
}

// The oldest product of all 128 threads.
inline void work_out(std::array<WgmmaThread, 128>& threads) {
    const Wgmma& first = threads[0].products.front();
    std::array<WgmmaThreadPart, 128> parts;
    for (size_t t = 0; t < 128; t++) {
        const Wgmma& product = threads[t].products.front();
        if (product.shape != first.shape || !product.operands.is_same(first.operands))
            fail("wgmma at " + text(first.where) +
                 ": the 128 threads of the warpgroup started different ones, or with different descriptors");
        parts[t].operands = &product.operands;
        for (size_t i = 0; i < product.slots.size(); i++) parts[t].sums[i] = &threads[t].slots[product.slots[i]].bits;
    }
    multiply(first.shape, parts, first.where);
    for (WgmmaThread& t : threads) t.products.pop_front(), t.done++;
}
inline void work_out_until(uint64_t end) {
    std::array<WgmmaThread, 128>& threads = warpgroup().threads;
    while (threads[0].done < end) work_out(threads);
}
inline bool all_have_started(uint64_t end) {
    for (const WgmmaThread& t : warpgroup().threads)
        if (t.end() < end) return false;
    return true;
}

// ---- the instructions ----------------------------------------------------------------------------------------------
inline void wgmma_fence() { wgmma_thread().fenced = true; }

// wgmma.fence is needed before the first product, and after the thread has used the registers in another way (PTX ISA,
// wgmma.fence): A from registers, sums that it has changed, or that the product is to replace.
template <size_t N>
void wgmma_start(const WgmmaShape& shape, const WgmmaOperands& operands, const std::array<void*, N>& sums,
                 Location where) {
    const auto refuse = [&](const char* why) { fail("wgmma at " + text(where) + ": " + why); };
    if (self->rank / 128 * 128 + 128 > block.size)
        refuse("it needs four whole warps, of which the first one's number is 0, 4, 8, ...");
    WgmmaThread& mine = wgmma_thread();
    const uint64_t number = mine.end();
    bool used = operands.a_in_registers || !operands.add || (number == 0 && mine.given_back.empty());
    mine.products.push_back({shape, operands, std::vector<uint32_t>(N), where});
    // What a product replaces may be anything, even an old mark: it follows no other product.
    const size_t known = operands.add ? mine.slots.size() : 0;
    size_t ordinary = 0;
    for (size_t i = 0; i < N; i++) {
        uint32_t bits;
        memcpy(&bits, sums[i], 4);
        size_t slot = slot_of_mark(shape.sum, bits);
        if (slot >= known || !mine.slots[slot].variable) {  // its value is an ordinary one
            slot = mine.slots.size();
            ordinary++;
            mine.slots.push_back({bits, 0, nullptr});
            used = used || !mine.is_as_given_back(sums[i], bits, i);
        }
        mine.slots[slot].last = number, mine.slots[slot].variable = sums[i];
        mine.products.back().slots[i] = uint32_t(slot);
        const uint32_t mark = slot_mark(shape.sum, slot);
        memcpy(sums[i], &mark, 4);
    }
    if (ordinary != 0 && ordinary != N)
        refuse("the thread has written to some of the sums of a product that is not over");
    if (used && !mine.fenced)
        refuse("no wgmma.fence since the last wait (or the start), and the thread has used the registers since");
    if (copies_at_once() && all_have_started(number + 1)) work_out_until(number + 1);
}

inline void wgmma_commit() {
    WgmmaThread& mine = wgmma_thread();
    mine.groups.push_back(mine.end());
}

inline void give_back_sums(WgmmaThread& mine, uint64_t end) {
    bool left = false;
    std::vector<WgmmaSlot> given_back;
    for (size_t i = 0; i < mine.slots.size(); i++) {
        WgmmaSlot& slot = mine.slots[i];
        if (slot.variable && slot.last < end) {
            uint32_t now;
            memcpy(&now, slot.variable, 4);
            for (const Sum sum : {Sum::f32, Sum::f16, Sum::s32})
                if (slot_of_mark(sum, now) == i) memcpy(slot.variable, &slot.bits, 4);
            given_back.push_back(slot);
            slot.variable = nullptr;
        }
        left |= slot.variable != nullptr;
    }
    if (!given_back.empty()) mine.given_back = given_back, mine.fenced = false;
    if (!left) mine.slots.clear();
}

inline void wgmma_wait(int groups_left, Location where) {
    WgmmaThread& mine = wgmma_thread();
    uint64_t end = 0;
    for (; int(mine.groups.size()) > groups_left; mine.groups.pop_front()) end = mine.groups.front();
    // The reads of a product are over for all threads that have waited, whichever thread has made them here.
    [[maybe_unused]] const void* group = first_of_warpgroup();
    if (end > mine.done) {
        wait_until([end] { return all_have_started(end); }, "wgmma.wait_group", where);
        // As late as is allowed: others have their turn first, who may think that nobody reads the matrices any more.
        if (uint64_t& last = warpgroup().last_wait; last < end) {
            last = end;
            if (!copies_at_once()) give_turn("wgmma.wait_group", where);
            work_out_until(end);
        } else {
            wait_until([&mine, end] { return mine.done >= end; }, "wgmma.wait_group", where);
        }
        CUDA_ON_CPU_RECORD(release(group));
    }
    CUDA_ON_CPU_RECORD(acquire(group));
    give_back_sums(mine, end);
}

// ---- setmaxnreg ----------------------------------------------------------------------------------------------------
// It changes nothing here. On a GPU a warp that asks for more waits until others have given some back, which is for
// ever if there are not as many.
inline void set_max_registers(unsigned registers, Location where) {
    static OfBlock of;
    static unsigned of_warps[32];
    if (registers < 24 || registers > 256 || registers % 8 != 0)
        fail("setmaxnreg at " + text(where) + ": the number is a multiple of 8, from 24 to 256");
    if (!of.is(blockIdx)) of = {launch_number, blockIdx}, memset(of_warps, 0, sizeof of_warps);
    of_warps[self->rank / 32] = registers;
    unsigned all = 0;
    for (const unsigned of_warp : of_warps) all += 32 * of_warp;
    if (all > 65536)
        fail("setmaxnreg at " + text(where) + ": the block's warps now ask for " + std::to_string(all) +
             " registers, and a multiprocessor has 65536: on a GPU it waits for ever");
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
