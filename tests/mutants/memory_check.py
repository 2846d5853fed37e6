"""Small breakages of the memory check, and the tests that must fail because of each. They need g++."""

from mutants import Mutant

EXCHANGES = "tests/cuda_on_cpu/test_memory_check.py::test_exchanges_between_blocks[g++-False]"
TESTS = "tests/cuda_on_cpu/test_memory_check.py::"
WRONG, RIGHT = f"{TESTS}test_wrong_kernels[g++-False]", f"{TESTS}test_right_kernels[g++]"
COPIES = f"{TESTS}test_copies_and_tensor_cores[g++]"
HOST = f"{TESTS}test_the_hosts_mistakes[g++]"
CHECK, RACES, REPORT, ORDER, ARRAYS, RECORDER = (
    f"common/cuda_on_cpu/recorder/{name}"
    for name in ("check.h", "races.h", "report.h", "order.h", "arrays.h", "recorder.cpp")
)
PTX = "common/cuda_on_cpu/include/cuda_on_cpu/ptx.h"

MUTANTS = [
    Mutant(RACES, "        if (before.kind() == Kind::copy) return true;\n", "", COPIES),
    Mutant(RACES, "        if (order.is_ordered(before)) return false;\n", "", RIGHT),
    Mutant(RACES, "written.segment() >= owner(array).first", "true", WRONG),
    Mutant(RACES, "if (!is_same) say(", "say(", RIGHT, why="two writes of one value are no race"),
    Mutant(RACES, "array.all_written || written ||", "true ||", WRONG),
    Mutant(RECORDER, "    if (threads < room.waited) check.left_out(room, threads);\n", "", WRONG),
    Mutant(ORDER, "        r.waited = 0;\n", "", RIGHT, why="what waited in another block is none of this one's"),
    Mutant(ORDER, "if (has_fenced()) release(", "release(", WRONG, why="a flag without a fence orders nothing"),
    Mutant(ORDER, "            if (s.segment() <= room->barrier) return true;\n", "", RIGHT),
    Mutant(ORDER, "        clock.raise_block(self.block, room->barrier);\n", "", RIGHT),
    Mutant(RACES, "if (!first || order.is_ordered(first)) shadow.first_read(word, before);", "", WRONG),
    Mutant(RACES, "if (!first || order.is_ordered(first)) ", "", WRONG, why="the last two may be in the writer's half"),
    Mutant(RACES, "both_write && !order.is_released(both_write)", "false", WRONG),
    Mutant(
        RACES, "both_write && !order.is_released(both_write)", "both_write", RIGHT, why="a ticket lock's writers wait"
    ),
    Mutant(RACES, "if (a.compares) guesses_.erase({order.self.block, order.self.rank, at});", "", RIGHT),
    Mutant(RACES, "order.who(before) : order.self;\n            if", "order.self : order.self;\n            if", RIGHT),
    Mutant(RACES, "written.is_with(now) && !reads[0]", "written.is_with(now)", RIGHT, why="the second of two guesses"),
    Mutant(CHECK, "        say_guesses();\n        return end();", "        return end();", WRONG),
    Mutant(RACES, "array.place == Place::shared && before.segment() < owner(array).first", "false", RIGHT),
    Mutant(CHECK, "if (array->is_freed || a.address", "if (a.address", WRONG),
    Mutant(CHECK, "std::fill(seen_, seen_ + seen_size, Seen{});", "", WRONG),
    Mutant(REPORT, "sites.line_of(key.other)}).second) return;", "sites.line_of(key.other)}).second) {}", WRONG),
    Mutant(REPORT, "if (strcmp(launch.kernel, by_address) != 0) return", "return", WRONG),
    Mutant("common/cuda_on_cpu/memory_check.py", '_GCC += ["-fsanitize=bounds-strict"]', "_GCC += []", WRONG),
    Mutant("common/cuda_on_cpu/memory_check.py", '_ALL += ["-U_FORTIFY_SOURCE"]', "_ALL += []", WRONG),
    Mutant(ARRAYS, "        if (shift_) split();\n", "", RIGHT),
    Mutant(ORDER, "if (who.rank / 32 == self.rank / 32 && s", "if (s", WRONG),
    Mutant(
        ORDER,
        "        if (who == self || s.segment() <= grid_barrier_) return true;",
        "        if (who == self) return true;",
        RIGHT,
    ),
    Mutant(
        RECORDER,
        "bytes, false, true, Kind::plain, check.sites.of(file, line)}, started",
        "bytes, false, true, Kind::copy, check.sites.of(file, line)}, started",
        COPIES,
    ),
    Mutant(RECORDER, "bytes, false, true, Kind::copy, check", "bytes, false, true, Kind::plain, check", COPIES),
    Mutant(RECORDER, "if (kind == Kind::is_volatile && !writes) check.order.see(object);", "", RIGHT),
    Mutant(RECORDER, "if (kind == Kind::is_volatile && !writes) check.order.see(object);",
           "if (kind == Kind::is_volatile && !writes) check.order.acquire(object);", WRONG, why="no fence follows"),
    Mutant(
        RECORDER,
        "array->written.begin() + first + bytes, true)",
        "array->written.begin() + first + bytes, false)",
        RIGHT,
    ),
    Mutant(RECORDER, "if (writes) check.order.release(address);", "check.order.release(address);", WRONG),
    Mutant(RECORDER, "n, reads, writes, Kind::atomic", "n, true, true, Kind::atomic", RIGHT, why="two only look"),
    Mutant(RACES, "now, a.address)) race(", "now, at)) race(", RIGHT, why="a volatile variable may have two words"),
    Mutant(REPORT, "const Room* r = array.room", "const Room* r = nullptr", WRONG, why="another block of a cluster"),
    Mutant(REPORT, "array.original ? array.original->begin : array.begin", "array.begin", WRONG),
    Mutant("common/cuda_on_cpu/recorder/sites.h", '"/include/cub/", ', "", WRONG),
    Mutant(RECORDER, "constexpr size_t margin = 4096", "constexpr size_t margin = 0", WRONG),
    Mutant("common/cuda_on_cpu/include/cuda_on_cpu/mma_sync.h", "asks(row, 16, true", "asks(row, 16, false", COPIES),
    Mutant(PTX, "    CUDA_ON_CPU_RECORD(asks(from, sizeof value, false, where.file, where.line));\n", "", WRONG),
    Mutant(PTX, "    CUDA_ON_CPU_RECORD(asks(to, sizeof value, true, where.file, where.line));\n", "", WRONG),
    Mutant("common/cuda_on_cpu/memory_check.py", '*_ALL, "-gdwarf-4",', "*_ALL,", COPIES.replace("g++", "clang++")),
    Mutant(
        "common/cuda_on_cpu/include/cuda_on_cpu/mbarrier.h",
        "        cuda_on_cpu_recorder::release(name());\n",
        "",
        EXCHANGES,
        why="a thread that has waited may read what st_async() has stored",
    ),
    Mutant(CHECK, "return array.original ? a - array.begin + array.original->begin : a;", "return a;", EXCHANGES),
    # ---- order
    Mutant(ORDER, "objects_.clear(), ", "", WRONG, why="the flags of an earlier launch"),
    Mutant(ORDER, "r.extra.clear(), r.threads", "r.threads", WRONG, why="an earlier block of the room had waited"),
    Mutant(ORDER, "reaches(key(who), segment) || reaches(key({who.block, whole}), segment)", "reaches(key(who), segment)",
           RIGHT),
    Mutant(ORDER, "r.extra.join(thread.extra), thread.extra.clear();", "{}", RIGHT),
    Mutant(ORDER, "all[l] = std::max(all[l], r.lanes[rank][l]);", "all[l] = rank * 0;", RIGHT),
    Mutant(ORDER, "r.threads[warp * 32 + l].extra.join(joined);", "{}", RIGHT, why="one lane waits for its warp"),
    Mutant(ORDER, "        begin_segment(self);  // the thread", "        // the thread", WRONG),
    Mutant(ORDER, "r->extra.known.raise_block(other->block, segment);\n        begin_segment(self);",
           "r->extra.known.raise_block(other->block, segment);", WRONG),
    Mutant(ORDER, "thread.extra.fence();\n        begin_segment(self);", "thread.extra.fence();", WRONG),
    Mutant(ORDER, "void fence() { known.join(seen), seen.clear(); }", "void fence() {}", RIGHT),
    Mutant(ORDER, "known.join(o.known), seen.join(o.seen);", "known.join(o.known);", RIGHT),
    Mutant(ORDER, "        thread.extra.seen.join(room->extra.seen);  // what", "        // what", RIGHT,
           why="thread 0 takes the ticket, and another thread has the fence"),
    Mutant(RACES, "order.self, order.is_seen(before)}", "order.self, false}", WRONG),
    Mutant(ORDER, "release(object, segment);\n        begin_segment(self);", "release(object, segment);", WRONG),
    Mutant(ORDER, "known > room->barrier)", "false && known)", RIGHT, why="one lane tells what its warp has stored"),
    Mutant(ORDER, "        clock.join(room->extra.known);\n", "", RIGHT),
    Mutant(ORDER, "        clock.join(room->threads[self.rank].extra.known);\n", "", RIGHT),
    Mutant(RECORDER, "    check.order.see(address);\n    const uint32_t site", "    const uint32_t site", RIGHT),
    Mutant(RECORDER, "    check.order.see(address);\n", "    check.order.acquire(address);\n", WRONG, why="no fence follows"),
    Mutant(RECORDER, "    check.order.release_fenced(address);\n", "", RIGHT),
    Mutant(RECORDER, "    if (reads) check.order.acquire(address);\n", "", RIGHT),
    Mutant(RACES, "if (order.is_ordered(read) || !same_warp(read))", "if (!same_warp(read))", RIGHT),
    Mutant(RACES, "reader->second.stored && reader->second.stored != address", "reader->second.stored", RIGHT),
    # ---- arrays, and who accesses them
    Mutant(CHECK, "seen.site == a.site && seen.room == order.room", "seen.site == a.site", RIGHT),
    Mutant(CHECK, "offset < seen.bytes && a.bytes <= seen.bytes - offset", "offset < seen.bytes", WRONG),
    Mutant(CHECK, "if (!array->original && array->place", "if (array->place", RIGHT),
    Mutant(CHECK, "a.address < 65536", "a.address < 16", WRONG),
    Mutant(ARRAYS, "next->first - a <= next->second->margin", "false", WRONG),
    Mutant(RECORDER, "old->end - dynamic == launch.dynamic_bytes", "old->begin", RIGHT),
    Mutant(RECORDER, "array && array->begin == uintptr_t(address) && array->memory", "array && array->memory", HOST),
    Mutant(RECORDER, "source ? kind >= 2 : kind % 2", "source ? kind >= 2 : true", HOST),
    Mutant(RECORDER, "    if (kind < 4)\n", "", RIGHT),
    Mutant(RECORDER, "    if (n && running) access<true>(PC, to, n);\n", "", WRONG),
    Mutant("common/cuda_on_cpu/recorder/sites.h", '"/device_memory.h", ', "", WRONG),
    Mutant(REPORT, "findings_.size() < 8", "findings_.size() < 800", WRONG),
]  # fmt: skip
