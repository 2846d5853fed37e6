// The microscope: what the accesses of a kernel cost, warp by warp and line by line. A model of what a GPU counts;
// ../README.md says what is in it, and what not.
#pragma once

#include <array>
#include <set>
#include <tuple>

#include "check.h"

namespace cuda_on_cpu_recorder {

// What the lanes of a warp ask for in one instruction.
struct Request {
    uint32_t lanes = 0;                      // a bit for each that takes part
    std::array<uintptr_t, 32> address = {};  // in shared memory from the beginning of the array on
    std::array<uint32_t, 32> time = {};      // how many accesses the lane had made before, of all kinds

    void add(unsigned lane, uintptr_t address_of_lane, uint32_t time_of_lane) {
        lanes |= 1u << lane;
        address[lane] = address_of_lane, time[lane] = time_of_lane;
    }
};

enum class Space { global, shared, constant };
enum class Op { load, store, atomic, copy };  // copy: cp.async, from global memory to shared memory

// ---- the model -----------------------------------------------------------------------------------------------------

// How many aligned pieces of `unit` bytes the lanes touch. The addresses are sorted.
inline unsigned touched(const std::vector<uintptr_t>& addresses, size_t bytes, size_t unit) {
    unsigned count = 0;
    uintptr_t next = 0;  // the first piece that is not counted yet
    for (const uintptr_t a : addresses) {
        const uintptr_t first = std::max(a / unit, next), end = (a + bytes - 1) / unit + 1;
        if (first >= end) continue;
        count += unsigned(end - first);
        next = end;
    }
    return count;
}

// Whether each lane of `lanes` asks for the address of the lane `distance` further on, as far as both take part.
inline bool are_pairs(const Request& r, uint32_t lanes, unsigned distance) {
    for (unsigned l = 0; l < 32; l++)
        if (lanes >> l & lanes >> (l ^ distance) & 1 && r.address[l] != r.address[l ^ distance]) return false;
    return true;
}

// Passes of shared memory for these lanes: each of the 32 banks gives one word of 4 bytes, to all lanes that ask for
// it. A lane's first word stands for its others: an access is aligned, so they lie side by side in the next banks.
inline unsigned passes(const Request& r, uint32_t lanes) {
    std::vector<uintptr_t> words;
    for (unsigned l = 0; l < 32; l++)
        if (lanes >> l & 1) words.push_back(r.address[l] / 4);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    unsigned of_bank[32] = {}, most = 0;
    for (const uintptr_t w : words) most = std::max(most, ++of_bank[w % 32]);
    return most;
}

// With 8 bytes a lane, half of the warp takes part in a pass, and with 16 bytes a quarter. Twice as many do in a load
// where lanes n and n ^ 1 have the same address, or n and n ^ 2 (for the GPUs since Volta: forums.developer.nvidia.com,
// 77228).
inline unsigned wavefronts(const Request& r, size_t bytes, Op op) {
    const unsigned at_a_time = bytes <= 4 ? 32 : unsigned(128 / bytes);
    unsigned count = 0;
    for (unsigned l = 0; l < 32;) {
        const auto from = [&](unsigned n) { return r.lanes & uint32_t(((uint64_t(1) << n) - 1) << l); };
        const uint32_t twice = from(std::min(32u, 2 * at_a_time));
        const bool merge = op == Op::load && at_a_time < 32 && l % (2 * at_a_time) == 0 &&
                           (are_pairs(r, twice, 1) || are_pairs(r, twice, 2));
        count += passes(r, merge ? twice : from(at_a_time));
        l += merge ? 2 * at_a_time : at_a_time;
    }
    return count;
}

// ---- what was counted ----------------------------------------------------------------------------------------------

struct Counts {
    uint64_t requests = 0, threads = 0, bytes = 0;  // bytes: different ones
    uint64_t sectors = 0, least_sectors = 0, wavefronts = 0, least_wavefronts = 0;
    uint64_t at_one_address = 0;  // of atomics: the most lanes of a request that meet
    uint64_t width = 0;           // bytes of a lane, at most
    std::set<uint64_t> warps;     // that made a request
    Request example;              // the first request

    void count(const Request& r, Space space, Op op, size_t lane_bytes, uint64_t warp) {
        std::vector<uintptr_t> sorted;
        for (unsigned l = 0; l < 32; l++)
            if (r.lanes >> l & 1) sorted.push_back(r.address[l]);
        std::sort(sorted.begin(), sorted.end());
        if (!requests++) example = r;
        warps.insert(warps.end(), warp);
        threads += sorted.size();
        width = std::max<uint64_t>(width, lane_bytes);
        const unsigned different = touched(sorted, lane_bytes, 1);
        bytes += different;
        if (space == Space::global) {
            sectors += touched(sorted, lane_bytes, 32);
            least_sectors += (different + 31) / 32;
        } else if (space == Space::shared && op != Op::atomic) {
            wavefronts += cuda_on_cpu_recorder::wavefronts(r, lane_bytes, op);
            least_wavefronts += (touched(sorted, lane_bytes, 4) + 31) / 32;
        }
        if (op != Op::atomic) return;
        unsigned most = 0, same = 0;
        for (size_t i = 0; i < sorted.size(); i++) {
            same = i && sorted[i] == sorted[i - 1] ? same + 1 : 1;
            most = std::max(most, same);
        }
        at_one_address += most;
    }
    void add(const Counts& o) {
        if (!requests) example = o.example;
        requests += o.requests, threads += o.threads, bytes += o.bytes;
        sectors += o.sectors, least_sectors += o.least_sectors;
        wavefronts += o.wavefronts, least_wavefronts += o.least_wavefronts;
        at_one_address += o.at_one_address;
        width = std::max(width, o.width);
        warps.insert(o.warps.begin(), o.warps.end());
    }
};

// ---- accesses become requests --------------------------------------------------------------------------------------

template <class Key>
std::vector<Request> values_of(const std::map<Key, Request>& found) {
    std::vector<Request> requests;
    for (const auto& [key, request] : found) requests.push_back(request);
    return requests;
}

// Threads run one after another here, so the accesses of a warp's lanes also come one after another. The k-th access of
// a lane at a site joins the k-th of the other lanes there, counted since the last barrier. If lanes skip the access in
// different rounds of a loop, this would join different rounds, and neighbours would seem to read far apart. Two things
// help. First, another site in the loop may be one that no lane skips, such as the load of a mask: how often a lane has
// been there tells the round. Second, most kernels give neighbouring lanes addresses at an even distance. So accesses
// of global memory are also joined by that distance, and what needs fewer sectors and requests counts.

// The same accesses, of which those of a round are joined. times: for each lane when it was at the other site.
inline std::vector<Request> by_round(const std::vector<Request>& in_order, const std::vector<Request>& times) {
    std::map<std::pair<size_t, unsigned>, Request> found;  // by the round, and by the number of the access in it
    for (unsigned lane = 0; lane < 32; lane++) {
        size_t round = 0;
        unsigned n = 0;
        for (const Request& r : in_order) {
            if (!(r.lanes >> lane & 1)) break;  // the lane has no further access
            for (; round < times.size() && times[round].time[lane] < r.time[lane]; round++) n = 0;
            found[{round, n++}].add(lane, r.address[lane], r.time[lane]);
        }
    }
    return values_of(found);
}

// The same accesses in requests whose lanes ask for addresses at this distance. The n-th access of a lane that would
// suit a request joins the n-th of the others.
inline std::vector<Request> by_distance(const std::vector<Request>& in_order, uintptr_t distance) {
    std::map<std::pair<uintptr_t, unsigned>, Request> found;  // by the address that lane 0 would have, and by n
    for (unsigned lane = 0; lane < 32; lane++) {
        std::map<uintptr_t, unsigned> n;
        for (const Request& r : in_order) {
            if (!(r.lanes >> lane & 1)) continue;
            const uintptr_t of_lane_0 = r.address[lane] - lane * distance;
            found[{of_lane_0, n[of_lane_0]++}].add(lane, r.address[lane], r.time[lane]);
        }
    }
    return values_of(found);
}

class Microscope {
public:
    bool is_on = false;

    explicit Microscope(Check& check) : check_(check) {}

    void start() {
        is_on = true;
        rows_.clear(), kernels_.clear(), launches_ = 0;
    }

    void begin_launch(const Launch& launch) {
        std::string& name = names_[launch.function];
        if (!launch.function)
            name = launch.kernel;
        else if (name.empty())
            name = Check::variable(uintptr_t(launch.function));
        kernel_ = unsigned(std::find(kernels_.begin(), kernels_.end(), name) - kernels_.begin());
        if (kernel_ == kernels_.size()) kernels_.push_back(name);
        launches_++;
    }

    // is_whole: the address is a multiple of `bytes`, and the compiler knows it.
    void access(const Access& a, bool is_whole) {
        // A GPU's access has 1, 2, 4, 8 or 16 bytes. Whatever else the compiler reports is made of several.
        if (is_whole && a.bytes <= 16) return join(a, a.address, a.bytes);
        size_t piece = a.bytes > 16 ? 16 : 4;
        while ((a.address | a.bytes) % piece) piece /= 2;
        for (size_t at = 0; at < a.bytes; at += piece) join(a, a.address + at, piece);
    }

    // All lanes of the warp are together, or have returned.
    void warp_together(const Room& room, unsigned warp) {
        if (index_of(room, warp) >= warps_.size()) return;
        Warp& w = warps_[index_of(room, warp)];
        const Open* const of_all = never_skipped(w);
        for (unsigned s = 0; s < w.open.size(); s++) {
            Stream& stream = streams_[s];
            const uint64_t number = uint64_t(launches_) << 40 | uint64_t(room.block) << 5 | warp;
            if (w.open[s].requests.empty()) continue;
            if (of_all && w.open[s].accesses != of_all->accesses)
                stream.counts.add(count(by_round(w.open[s].requests, of_all->requests), stream, number));
            else
                stream.counts.add(count_by_distance(w.open[s].requests, stream, number));
        }
        w = {};
    }
    void block_together(const Room& room) {
        for (unsigned w = 0; w < 32; w++) warp_together(room, w);
    }

    void end_launch() {
        for (Warp& w : warps_) w = {};  // a launch that ended early leaves some
        for (Stream& s : streams_) {
            if (s.counts.requests) {
                const Site& site = check_.sites.get(s.site);
                rows_[{kernel_, site.file, site.line, s.space, s.op}].add(s.counts);
            }
            s.counts = {};
        }
    }

    // A line of text for each row: fields with tabs between them, as microscope.py reads them.
    const char* stop() {
        is_on = false;
        static const char *const spaces[] = {"global", "shared", "constant"}, *const ops[] = {"load", "store", "atomic",
                                                                                              "copy"};
        text_ = format("%u\n", launches_);
        for (const auto& [key, c] : rows_) {
            const auto& [kernel, file, line, space, op] = key;
            text_ += format("%s\t%s\t%d\t%s\t%s", kernels_[kernel].c_str(), file.c_str(), line, spaces[int(space)],
                            ops[int(op)]);
            for (const uint64_t n : {c.requests, c.threads, c.bytes, c.sectors, c.least_sectors, c.wavefronts,
                                     c.least_wavefronts, c.at_one_address, c.width, uint64_t(c.warps.size())})
                text_ += "\t" + std::to_string(n);
            text_ += "\t";
            for (unsigned l = 0; l < 32; l++)
                text_ += (l ? "," : "") + (c.example.lanes >> l & 1 ? std::to_string(c.example.address[l]) : "");
            text_ += "\n";
        }
        return text_.c_str();
    }

private:
    struct Stream {  // a kind of access at a site
        uint32_t site;
        Space space;
        Op op;
        size_t bytes;
        Counts counts = {};
        unsigned tries = 0;  // of count_by_distance() that changed nothing
    };
    struct Open {                                // of a stream and a warp, since its lanes were together
        std::array<uint32_t, 32> accesses = {};  // of each lane
        std::vector<Request> requests = {};
    };
    struct Warp {
        std::vector<Open> open = {};  // by stream
        std::array<uint32_t, 32> time = {};
    };

    static size_t index_of(const Room& room, unsigned warp) { return room.number * 32 + warp; }

    void join(const Access& a, uintptr_t address, size_t bytes) {
        const Array* array = check_.arrays.find(a.address);
        const int stream = stream_of(a, array, bytes);
        if (stream < 0) return;
        if (streams_[stream].space == Space::shared) address -= array->begin;
        const unsigned rank = check_.order.self.rank, warp = rank / 32;
        const size_t index = index_of(*check_.order.room, warp);
        if (index >= warps_.size()) warps_.resize(index + 1);
        if (warps_[index].open.size() <= size_t(stream)) warps_[index].open.resize(stream + 1);
        Open& open = warps_[index].open[stream];
        const uint32_t k = open.accesses[rank % 32]++;
        if (k == open.requests.size()) open.requests.emplace_back();
        open.requests[k].add(rank % 32, address, warps_[index].time[rank % 32]++);
    }

    // The stream that was most often accessed of those that all lanes accessed equally often, and more than once; or
    // null. A lane without any access has returned, or does not exist.
    static const Open* never_skipped(const Warp& w) {
        const Open* found = nullptr;
        for (const Open& open : w.open) {
            bool is_equal = open.requests.size() > (found ? found->requests.size() : 1);
            for (unsigned l = 0; l < 32; l++) is_equal &= !w.time[l] || open.accesses[l] == open.requests.size();
            if (is_equal) found = &open;
        }
        return found;
    }

    static Counts count(const std::vector<Request>& requests, const Stream& stream, uint64_t warp) {
        Counts counts;
        for (const Request& r : requests) counts.count(r, stream.space, stream.op, stream.bytes, warp);
        return counts;
    }

    // The same, but accesses of global memory are joined by a distance, if lanes seem to read far apart and do not. At
    // a site where the first warps do read far apart, the others are not asked.
    static Counts count_by_distance(const std::vector<Request>& in_order, Stream& stream, uint64_t warp) {
        const auto cost = [](const Counts& c) { return c.sectors + c.requests; };
        Counts best = count(in_order, stream, warp);
        // Only global memory has sectors.
        if (in_order.size() < 2 || stream.tries == 8 || best.sectors == best.least_sectors) return best;
        const uint64_t before = cost(best);
        for (const size_t elements : {1, 0, 2, 3, 4}) {
            Counts other = count(by_distance(in_order, elements * stream.bytes), stream, warp);
            if (cost(other) < cost(best)) best = other;
        }
        stream.tries += cost(best) == before;
        return best;
    }

    // -1: not an access of the kernel's own code.
    int stream_of(const Access& a, const Array* array, size_t bytes) {
        const Space space = array && array->place == Place::shared     ? Space::shared
                            : !array && constants_.contains(a.address) ? Space::constant
                                                                       : Space::global;
        const Op op = a.kind == Kind::atomic ? Op::atomic
                      : a.kind == Kind::copy ? Op::copy
                      : a.writes             ? Op::store
                                             : Op::load;
        if (a.site >= recent_.size()) recent_.resize(a.site + 1, {-2, -2, -2, -2});
        int& recent = recent_[a.site][int(op)];
        if (recent == -1) return -1;
        if (recent >= 0 && streams_[recent].space == space && streams_[recent].bytes == bytes) return recent;
        if (check_.sites.get(a.site).is_runtime && op != Op::atomic) return recent = -1;
        const auto [found, is_new] = numbers_.try_emplace({a.site, space, op, bytes}, int(streams_.size()));
        if (is_new) streams_.push_back({a.site, space, op, bytes});
        return recent = found->second;
    }

    using Key = std::tuple<unsigned, std::string, int, Space, Op>;  // number of the kernel, file, line

    Check& check_;
    Constants constants_;
    unsigned launches_ = 0;
    unsigned kernel_ = 0;               // that runs
    std::vector<std::string> kernels_;  // in the order of their first launches
    std::string text_;
    std::map<const void*, std::string> names_;
    std::map<std::tuple<uint32_t, Space, Op, size_t>, int> numbers_;
    std::vector<std::array<int, 4>> recent_;  // by site and Op; -2: none yet
    std::vector<Stream> streams_;
    std::vector<Warp> warps_;  // by room and warp
    std::map<Key, Counts> rows_;
};

}  // namespace cuda_on_cpu_recorder
