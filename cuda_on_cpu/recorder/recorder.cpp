// The recorder: what the compiler calls at each access, and what CUDA on CPU tells (include/cuda_on_cpu/recorder.h).
//
// -fsanitize=thread makes the compiler call __tsan_read4(address) before it reads four bytes, and so on. These
// functions are ours, instead of ThreadSanitizer's. -fsanitize=alignment calls a function where an address is not
// aligned to its type. There is one recorder in a process: this is a library of its own, compiled without such calls.
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "microscope.h"

namespace cuda_on_cpu_recorder {

static bool is_ready;  // another library may call a function of the program before this one's variables have values
static Check& check = *new Check;  // never destroyed: programs use memory until their very end
static Microscope& microscope = (is_ready = true, *new Microscope(check));
static std::map<const void*, Room*> rooms;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // held by a launch, and by functions of the host
// Whether this host thread runs a thread of a kernel now.
static __thread bool running __attribute__((tls_model("initial-exec")));

// What no other thread sees: its local variables, the kernel's parameters, threadIdx and its like.
struct Range {
    uintptr_t begin, bytes;
    bool contains(uintptr_t a) const { return a - begin < bytes; }
};
static Range stack, arguments, own[4];
[[gnu::always_inline]] static inline bool is_private(uintptr_t a) {
    return stack.contains(a) || own[0].contains(a) || own[1].contains(a) || own[2].contains(a) || own[3].contains(a) ||
           arguments.contains(a);
}

// Whether this host thread holds the mutex.
static __thread bool holds __attribute__((tls_model("initial-exec")));
static void lock() { pthread_mutex_lock(&mutex), holds = true; }
static void unlock() { holds = false, pthread_mutex_unlock(&mutex); }
struct Lock {
    Lock() { lock(); }
    ~Lock() { unlock(); }
};

static Room& room_of(const void* key) {
    static const void* last;
    static Room* room;
    if (key == last) return *room;
    Room*& found = rooms[key];
    if (!found) found = new Room{unsigned(rooms.size() - 1)};
    last = key;
    return *(room = found);
}

// Return addresses of the host's functions: they keep frame pointers.
static Calls callers() {
    Calls found;
    void** frame = static_cast<void**>(__builtin_frame_address(0));
    while (found.count < Calls::max && frame) {
        found.pc[found.count++] = frame[1];
        void** next = static_cast<void**>(*frame);
        if (next <= frame || next > frame + 65536) break;
        frame = next;
    }
    return found;
}

// ---- accesses ------------------------------------------------------------------------------------------------------

static void host_access(uintptr_t, size_t, bool, const void*);

// Compiled for each number of bytes, since it runs millions of times; any number is 0.
template <size_t known_bytes, bool writes, Kind kind>
[[gnu::noinline]] static void kernel_access(const void* pc, uintptr_t address, size_t any_bytes) {
    const size_t bytes = known_bytes ? known_bytes : any_bytes;
    const void* object = reinterpret_cast<const void*>(address);
    if (kind == Kind::is_volatile && !writes) check.order.see(object);
    const Access now = {address, bytes, !writes, writes, kind, check.sites.of(pc)};
    check.access(now);
    if (microscope.is_on) microscope.access(now, known_bytes != 0);
    if (kind == Kind::is_volatile && writes) check.order.release_fenced(object);
}

template <bool writes, Kind kind = Kind::plain, size_t known_bytes = 0>
[[gnu::always_inline]] static inline void access(const void* pc, const void* address, size_t bytes) {
    if (!running) return host_access(uintptr_t(address), bytes, writes, pc);
    if (is_private(uintptr_t(address))) return;
    kernel_access<known_bytes, writes, kind>(pc, uintptr_t(address), bytes);
}

// ---- launches ------------------------------------------------------------------------------------------------------

// For whoever sums up the run (cuda_on_cpu/report.py): each launch is a line of that file, its kernel, and after a tab
// the library that has it. Written at once, so that it is there however the process ends.
static void note(const Launch& launch) {
    static const char* path = getenv("CUDA_ON_CPU_LAUNCHES");
    static const int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file < 0) return;
    const bool has_name = strcmp(launch.kernel, by_address) != 0;
    Dl_info info = {};
    dladdr(launch.kernel, &info);  // its name lies there
    const char* library = info.dli_fname ? info.dli_fname : "";
    const std::string line =
        has_name ? format("%s\t%s\n", launch.kernel, library) : format("%p\t%s\n", launch.function, library);
    [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
}

void begin_launch(const Launch& launch) {
    lock();
    note(launch);
    check.begin_launch(launch);
    if (microscope.is_on) microscope.begin_launch(launch);
    for (int i = 0; i < 4; i++) own[i] = {uintptr_t(launch.own[i]), 12};
    const uintptr_t dynamic = uintptr_t(launch.dynamic_memory);
    if (Array* old = check.arrays.find(dynamic); old && old->end - dynamic == launch.dynamic_bytes) return;
    check.arrays.add(dynamic, launch.dynamic_bytes, Place::shared);
}

const char* end_launch() {
    running = false;
    const char* found = check.end_launch();
    if (microscope.is_on) microscope.end_launch();
    unlock();
    return found;
}

void begin_block(const void* room, unsigned x, unsigned y, unsigned z) {
    const bool was_running = running;
    running = false;
    check.settle();
    check.order.begin_block(room_of(room), x, y, z);
    running = was_running;
}

void thread_runs(const void* room, unsigned rank, const void* bottom, size_t bytes) {
    running = false;
    check.settle();
    check.order.thread_runs(room_of(room), rank);
    stack = {uintptr_t(bottom), bytes};
    running = true;
}

void nobody_runs() { running = false; }

const char* first_line(const void* const* addresses, unsigned count) {
    static std::string line;
    Calls calls;
    calls.count = std::min(count, Calls::max);
    std::copy_n(addresses, calls.count, calls.pc);
    return (line = check.sites.first_outside(calls)).c_str();
}

void kernel_arguments(const void* address, size_t bytes) { arguments = {uintptr_t(address), bytes}; }

// ---- order ---------------------------------------------------------------------------------------------------------

struct Pause {  // what the rest of this function does is nobody's access
    bool was_running = running;
    Pause() { running = false; }
    ~Pause() { running = was_running; }
};

// A barrier is known by its line and by the calls that lead to it. Copies of the code that the compiler has made have
// the same lines.
void reaches_barrier(const void* key, bool is_first) {
    const Pause pause;
    Calls& first = room_of(key).barrier_calls;
    const Calls mine = callers();
    if (is_first) first = mine;
    if (mine == first) return;
    const std::string my_lines = check.sites.lines(mine), first_lines = check.sites.lines(first);
    if (my_lines == first_lines) return;
    check.give_up("%s reaches a barrier by %s, and others of the block by %s; all must reach it by the same calls",
                  check.thread(check.order.self).c_str(), my_lines.c_str(), first_lines.c_str());
}
void block_barrier(const void* key, unsigned threads) {
    const Pause pause;
    Room& room = room_of(key);
    if (!room.waited && check.arrays.in_launcher()) room.waited = check.order.threads;
    if (threads < room.waited) check.left_out(room, threads);
    room.waited = threads;
    check.order.block_barrier(room);
    if (microscope.is_on) microscope.block_together(room);
}
void warp_barrier(const void* room, unsigned warp, uint32_t lanes) {
    const Pause pause;
    if (check.order.warp_barrier(room_of(room), warp, lanes) && microscope.is_on)
        microscope.warp_together(room_of(room), warp);
}
void warp_returns(const void* room, unsigned warp) {
    const Pause pause;
    if (microscope.is_on) microscope.warp_together(room_of(room), warp);
}
void grid_barrier() {
    const Pause pause;
    check.order.grid_barrier();
}
void cluster_barrier(const void* const* keys, unsigned count) {
    const Pause pause;
    std::vector<Room*> all;
    for (unsigned i = 0; i < count; i++) all.push_back(&room_of(keys[i]));
    check.order.cluster_barrier(all);
}
void fence() {
    const Pause pause;
    if (pause.was_running) check.order.fence();
}
void release(const void* object) {
    const Pause pause;
    if (pause.was_running) check.order.release(object);
}
void acquire(const void* object) {
    const Pause pause;
    if (pause.was_running) check.order.acquire(object);
}

// ---- accesses that the compiler does not report -------------------------------------------------------------------

void touches(const void* address, size_t bytes, bool writes, const char* file, int line) {
    const Pause pause;
    if (!pause.was_running || !bytes || is_private(uintptr_t(address))) return;
    check.access({uintptr_t(address), bytes, !writes, writes, Kind::plain, check.sites.of(file, line)});
}
static void request(const void* address, size_t bytes, bool writes, Kind kind, const char* file, int line) {
    if (microscope.is_on && running && !is_private(uintptr_t(address)))
        microscope.access({uintptr_t(address), bytes, !writes, writes, kind, check.sites.of(file, line)}, true);
}
void asks(const void* address, size_t bytes, bool writes, const char* file, int line) {
    touches(address, bytes, writes, file, line);
    request(address, bytes, writes, Kind::plain, file, line);
}
void asks_copy(const void* to, const void* from, size_t bytes, const char* file, int line) {
    request(from, bytes, false, Kind::copy, file, line);
    request(to, bytes, true, Kind::copy, file, line);
}
uint32_t copy_starts(const void* to, size_t bytes, const char* file, int line) {
    const Pause pause;
    if (!is_private(uintptr_t(to)))
        check.access({uintptr_t(to), bytes, false, true, Kind::copy, check.sites.of(file, line)});
    return check.order.segment;
}
void copy_ends(const void* to, size_t bytes, uint32_t started, const char* file, int line) {
    const Pause pause;
    if (!is_private(uintptr_t(to)))
        check.write_at({uintptr_t(to), bytes, false, true, Kind::plain, check.sites.of(file, line)}, started);
}

void atomic(const void* address, size_t bytes, const char* file, int line, bool compares) {
    const Pause pause;
    if (!pause.was_running || is_private(uintptr_t(address))) return;
    check.order.see(address);
    const uint32_t site = check.sites.of(file, line);
    const Access now = {uintptr_t(address), bytes, true, true, Kind::atomic, site, compares};
    check.access(now);
    if (microscope.is_on) microscope.access(now, true);
    check.order.release_fenced(address);
}

// ---- arrays --------------------------------------------------------------------------------------------------------

void shared_array(const void* address, size_t bytes, size_t element, const size_t* extents) {
    const Pause pause;
    Array& array = check.arrays.add(uintptr_t(address), bytes, Place::shared);
    array.element = element;
    for (int i = 0; i < 3 && extents[i]; i++) array.extents.push_back(extents[i]);
}

void shared_copy(const void* copy, size_t bytes, const void* address, const void* room) {
    const Pause pause;
    Array* array = check.arrays.find(uintptr_t(copy));
    if (!array || array->end - uintptr_t(copy) != bytes)  // dynamic memory of a launch that asked for more or less
        array = &check.arrays.add(uintptr_t(copy), bytes, Place::shared);
    array->original = check.arrays.find(uintptr_t(address));
    array->room = &room_of(room);
}

static constexpr size_t margin = 4096;  // bytes, a multiple of what cudaMalloc() aligns to

// What is wrong with the host's part of a launcher that a program calls (below): the first mistake, in words.
static std::string wrong_launcher;
static void say_of_launcher(const std::string& mistake) {
    if (wrong_launcher.empty()) wrong_launcher = "CUDA on CPU: " + mistake;
}
static const char by_kernels[] = "; what a launcher computes, its kernels have to compute, in memory of the GPU";
static std::vector<uintptr_t> in_this_call;  // what the launcher has allocated

static constexpr Place place_of(int type) {  // of cudaMemoryType
    return type == 1 ? Place::pinned : type == 2 ? Place::device : Place::managed;
}

void* allocate(size_t bytes, int type) {
    const Pause pause;
    const Lock lock;
    void* memory = nullptr;
    if (posix_memalign(&memory, 256, bytes + 2 * margin) != 0) return nullptr;
    char* begin = static_cast<char*>(memory) + margin;
    Array& array = check.arrays.add(uintptr_t(begin), bytes, place_of(type));
    array.memory = memory, array.margin = margin, array.allocated_at = callers();
    if (check.arrays.in_launcher()) {
        in_this_call.push_back(array.begin);
        if (array.place != Place::device)
            say_of_launcher("the launcher asks for memory that the host can use, at " +
                            check.sites.first_outside(array.allocated_at) + by_kernels);
    }
    return begin;
}

static thread_local std::string wrong_call;  // what is wrong with the host's last one

// What is freed stays as it is for some time, so that its use is found.
const char* free_memory(void* address) {
    const Pause pause;
    const Lock lock;
    static std::vector<uintptr_t> freed;
    static size_t kept;
    if (!address) return nullptr;
    Array* array = check.arrays.find(uintptr_t(address));
    const bool is_known = array && array->begin == uintptr_t(address) && array->memory;
    if (!is_known || array->is_freed) {
        wrong_call = format("CUDA on CPU: cudaFree() at %s got %s", check.sites.first_outside(callers()).c_str(),
                            is_known ? "memory that has been freed already" : "a pointer that no allocation gave");
        return wrong_call.c_str();
    }
    array->is_freed = true;
    freed.push_back(array->begin), kept += array->end - array->begin;
    while (kept > (64 << 20)) {
        Array* old = check.arrays.find(freed.front());
        kept -= old->end - old->begin;
        free(old->memory);
        check.arrays.remove(freed.front());
        freed.erase(freed.begin());
    }
    return nullptr;
}

void host_memory(const void* address, size_t bytes, bool registered) {
    const Pause pause;
    const Lock lock;
    if (check.arrays.in_launcher())
        say_of_launcher("the launcher lets kernels use memory of the host, at " + check.sites.first_outside(callers()) +
                        by_kernels);
    if (registered)
        check.arrays.add(uintptr_t(address), bytes, Place::pinned);
    else
        check.arrays.remove(uintptr_t(address));
}

static const char* range(const void* p, size_t bytes, const char* what) {
    Array* array = check.arrays.find(uintptr_t(p));
    if (!array || array->place > Place::managed) return nullptr;
    const std::string where = check.sites.first_outside(callers());
    if (array->is_freed)
        wrong_call = format("CUDA on CPU: %s at %s uses memory that has been freed", what, where.c_str());
    else if (uintptr_t(p) + bytes > array->end)
        wrong_call = format("CUDA on CPU: %s at %s goes %s beyond %s", what, where.c_str(),
                            Check::in_bytes(uintptr_t(p) + bytes - array->end).c_str(), check.name(*array).c_str());
    else
        return nullptr;
    return wrong_call.c_str();
}

static void mark_written(const void* to, size_t bytes) {
    Array* array = check.arrays.find(uintptr_t(to));
    if (!array || array->place != Place::device) return;
    const size_t first = uintptr_t(to) - array->begin;
    if (bytes == array->end - array->begin) array->all_written = true;
    std::fill(array->written.begin() + first, array->written.begin() + first + bytes, true);
}

// Whether a copy reads or writes memory of the host; a table of constants has to come from there.
static bool uses_the_host(const void* to, const void* from, int kind) {
    Dl_info info;
    if (dladdr(to, &info)) return false;
    const auto is_host = [&](const void* p) {
        const Array* array = check.arrays.find(uintptr_t(p));
        if (array) return array->place == Place::pinned || array->place == Place::managed;
        return !check.arrays.is_parameter(uintptr_t(p)) && !dladdr(p, &info);
    };
    return kind == 1 || kind == 2 || is_host(to) || is_host(from);
}

const char* host_copies(const void* to, const void* from, size_t bytes, int kind) {
    const Pause pause;
    const Lock lock;
    for (const void* p : {to, from})
        if (const char* wrong = range(p, bytes, "a copy")) return wrong;
    // The kinds are host to host, host to device, device to host, device to device.
    if (kind < 4)
        for (const bool source : {false, true}) {
            const bool says_device = source ? kind >= 2 : kind % 2;
            const Array* known = check.arrays.find(uintptr_t(source ? from : to));
            if (known && known->place == Place::device && !says_device) {
                wrong_call = format("CUDA on CPU: the copy at %s says that its %s is the host's memory, and it is %s",
                                    check.sites.first_outside(callers()).c_str(), source ? "source" : "destination",
                                    check.name(*known).c_str());
                return wrong_call.c_str();
            }
        }
    if (check.arrays.in_launcher() && uses_the_host(to, from, kind))
        say_of_launcher("the launcher copies from or to memory of the host, at " +
                        check.sites.first_outside(callers()) + by_kernels);
    mark_written(to, bytes);
    return nullptr;
}
const char* host_sets(const void* to, size_t bytes) {
    const Pause pause;
    const Lock lock;
    if (const char* wrong = range(to, bytes, "a memset")) return wrong;
    mark_written(to, bytes);
    return nullptr;
}

// Code of the host uses memory that only kernels can: that of cudaMalloc(), and while a launcher runs (below) that of
// its arguments. On a GPU's machine the process ends here. A launcher goes on, and its caller is told.
static void host_access(uintptr_t a, size_t bytes, bool writes, const void* pc) {
    static __thread bool inside __attribute__((tls_model("initial-exec")));
    if (!is_ready || inside) return;
    const bool in_launcher = check.arrays.in_launcher();
    if (!(in_launcher ? check.arrays.may_be_any(a) : check.arrays.may_be_device(a))) return;
    inside = true;
    if (pthread_mutex_trylock(&mutex) == 0) {
        Array* array = check.arrays.find(a);
        const bool is_argument = in_launcher && array && check.arrays.parameter(a, *array);
        if (array && (array->place == Place::device || is_argument) &&
            !check.sites.get(check.sites.of(pc)).is_runtime) {
            const std::string does = std::string("the host ") + (writes ? "writes " : "reads "),
                              at = " at " + check.sites.text(check.sites.of(pc));
            if (!is_argument) {
                const char* path = getenv("CUDA_ON_CPU_REPORT");  // of a program: include/cuda_on_cpu/program.h
                FILE* report = path ? fopen(path, "a") : nullptr;
                fprintf(report ? report : stderr,
                        "%sCUDA on CPU: %s%s%s: %s; only kernels can use that memory, and the host copies it with "
                        "cudaMemcpy()\n",
                        report ? "found\n" : "", does.c_str(), Check::in_bytes(bytes).c_str(), at.c_str(),
                        check.place(*array, a).c_str());
                fflush(nullptr);
                _exit(139);  // as after a segmentation fault
            }
            say_of_launcher(does + check.place(*array, a) + at +
                            "; that memory belongs to the GPU, and only kernels can use it");
        }
        pthread_mutex_unlock(&mutex);
    }
    inside = false;
}

// No tensor has the bytes beside it, so one that has had them is forgotten: an earlier one, or a larger one of
// which this is a part.
static void add_tensor(uintptr_t begin, size_t bytes, size_t margin) {
    check.arrays.forget_tensors(begin - margin, begin + bytes + margin);
    check.arrays.add(begin, bytes, Place::tensor).margin = margin;
}

}  // namespace cuda_on_cpu_recorder

// What common/guarded.py tells of a tensor's memory: it lies between margins. Without any bytes it is gone.
extern "C" void cuda_on_cpu_tensor(const void* address, size_t bytes, size_t margin) {
    using namespace cuda_on_cpu_recorder;
    const Pause pause;
    const Lock lock;
    if (bytes)
        add_tensor(uintptr_t(address), bytes, margin);
    else
        check.arrays.remove(uintptr_t(address));
}

// memory_check.py has this library loaded before torch, whose tensors on the CPU come from posix_memalign(). The one
// below notes where they end: no tensor has the bytes behind them. Nothing here sees free(), and a tensor is
// forgotten when a later one gets its memory.
static const bool knows_tensors = [] {
    const bool asked = getenv("CUDA_ON_CPU_TENSORS");
    if (asked) unsetenv("LD_PRELOAD");  // compilers that this process starts do not need it
    return asked;
}();
extern "C" int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    using namespace cuda_on_cpu_recorder;
    constexpr size_t margin = 64;
    static const auto of_libc = reinterpret_cast<int (*)(void**, size_t, size_t)>(dlsym(RTLD_NEXT, "posix_memalign"));
    const int error = of_libc(memory, alignment, knows_tensors ? bytes + margin : bytes);
    if (error || !knows_tensors || bytes == 0 || holds) return error;
    const Pause pause;
    const Lock lock;
    add_tensor(uintptr_t(*memory), bytes, margin);
    return 0;
}

// What grader/launchers.py tells of a launcher's arguments before the call. Until launcher_returned() only kernels may
// use them, and kernels may use nothing else of the host's. It says what code of the host has done wrong, or null.
extern "C" void cuda_on_cpu_parameter(const char* name, const void* address, size_t bytes, size_t element,
                                      size_t columns) {
    using namespace cuda_on_cpu_recorder;
    const Pause pause;
    const Lock lock;
    uintptr_t begin = uintptr_t(address), end = begin + bytes;
    if (const Array* array = check.arrays.find(begin)) end = std::min(end, array->end);  // a view may go beyond
    check.arrays.parameters.push_back({name, begin, end, element, columns});
}
extern "C" const char* cuda_on_cpu_launcher_returned() {
    using namespace cuda_on_cpu_recorder;
    static std::string said;
    const Pause pause;
    const Lock lock;
    check.arrays.parameters.clear();
    for (const uintptr_t begin : in_this_call)
        if (const Array* array = check.arrays.find(begin); array && !array->is_freed)
            say_of_launcher("the memory that the launcher allocates at " +
                            check.sites.first_outside(array->allocated_at) +
                            " is never freed: each call takes more, until the GPU has no memory left");
    in_this_call.clear();
    said.swap(wrong_launcher);
    wrong_launcher.clear();
    return said.empty() ? nullptr : said.c_str();
}

// What microscope.py asks for: to begin, and to end with what was counted.
extern "C" void cuda_on_cpu_microscope_start() {
    const cuda_on_cpu_recorder::Lock lock;
    cuda_on_cpu_recorder::microscope.start();
}
extern "C" const char* cuda_on_cpu_microscope_stop() {
    const cuda_on_cpu_recorder::Lock lock;
    return cuda_on_cpu_recorder::microscope.stop();
}

// For a program: from its start to its end, into that file.
[[maybe_unused]] static const bool looks_at_program = [] {
    if (!getenv("CUDA_ON_CPU_MICROSCOPE")) return false;
    cuda_on_cpu_microscope_start();
    atexit([] {
        FILE* out = fopen(getenv("CUDA_ON_CPU_MICROSCOPE"), "w");
        if (!out) return;
        fputs(cuda_on_cpu_microscope_stop(), out);
        fclose(out);
    });
    return true;
}();

// ---- what the compiler calls ---------------------------------------------------------------------------------------

using namespace cuda_on_cpu_recorder;
#define PC __builtin_return_address(0)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define ACCESSES(n)                                                                                 \
    void __tsan_read##n(void* p) { access<false, Kind::plain, n>(PC, p, n); }                       \
    void __tsan_write##n(void* p) { access<true, Kind::plain, n>(PC, p, n); }                       \
    void __tsan_unaligned_read##n(void* p) { access<false>(PC, p, n); }                             \
    void __tsan_unaligned_write##n(void* p) { access<true>(PC, p, n); }                             \
    void __tsan_volatile_read##n(void* p) { access<false, Kind::is_volatile, n>(PC, p, n); }        \
    void __tsan_volatile_write##n(void* p) { access<true, Kind::is_volatile, n>(PC, p, n); }        \
    void __tsan_unaligned_volatile_read##n(void* p) { access<false, Kind::is_volatile>(PC, p, n); } \
    void __tsan_unaligned_volatile_write##n(void* p) { access<true, Kind::is_volatile>(PC, p, n); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* p, size_t n) {
    if (n) access<false>(PC, p, n);
}
void __tsan_write_range(void* p, size_t n) {
    if (n) access<true>(PC, p, n);
}

static void copied(const void* pc, const void* to, const void* from, size_t n) {
    if (!n || !running) return;
    access<false>(pc, from, n);
    access<true>(pc, to, n);
}
// The linker sends calls of memcpy() and its relatives here (-Wl,--wrap).
void* __wrap_memcpy(void* to, const void* from, size_t n) {
    copied(PC, to, from, n);
    return memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, size_t n) {
    copied(PC, to, from, n);
    return memmove(to, from, n);
}
void* __wrap_memset(void* to, int value, size_t n) {
    if (n && running) access<true>(PC, to, n);
    return memset(to, value, n);
}

// Of std::atomic and cuda::atomic: what reads acquires, and what writes releases. A load may also ask whether a static
// variable has been constructed, as each __shared__ array has one: no access of the kernel's.
static void atomic_access(const void* pc, const volatile void* p, size_t n, bool reads, bool writes) {
    if (!running || is_private(uintptr_t(p))) return;
    const void* address = const_cast<const void*>(p);
    if (reads) check.order.acquire(address);
    if (check.arrays.find(uintptr_t(p))) {
        const Access now = {uintptr_t(p), n, reads, writes, Kind::atomic, check.sites.of(pc)};
        check.access(now);
        if (microscope.is_on) microscope.access(now, true);
    }
    if (writes) check.order.release(address);
}
#define ATOMICS(bits, T)                                                                        \
    T __tsan_atomic##bits##_load(const volatile T* p, int) {                                    \
        atomic_access(PC, p, sizeof(T), true, false);                                           \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
    }                                                                                           \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                                 \
        atomic_access(PC, p, sizeof(T), false, true);                                           \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                               \
    }                                                                                           \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* c, T v, int, int) {     \
        atomic_access(PC, p, sizeof(T), true, true);                                            \
        return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                           \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* c, T v, int, int) {       \
        atomic_access(PC, p, sizeof(T), true, true);                                            \
        return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                           \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T c, T v, int, int) {           \
        atomic_access(PC, p, sizeof(T), true, true);                                            \
        __atomic_compare_exchange_n(p, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return c;                                                                               \
    }                                                                                           \
    ATOMIC(bits, T, exchange, __atomic_exchange_n)                                              \
    ATOMIC(bits, T, fetch_add, __atomic_fetch_add)                                              \
    ATOMIC(bits, T, fetch_sub, __atomic_fetch_sub)                                              \
    ATOMIC(bits, T, fetch_and, __atomic_fetch_and)                                              \
    ATOMIC(bits, T, fetch_or, __atomic_fetch_or)                                                \
    ATOMIC(bits, T, fetch_xor, __atomic_fetch_xor)                                              \
    ATOMIC(bits, T, fetch_nand, __atomic_fetch_nand)
#define ATOMIC(bits, T, name, function)                       \
    T __tsan_atomic##bits##_##name(volatile T* p, T v, int) { \
        atomic_access(PC, p, sizeof(T), true, true);          \
        return function(p, v, __ATOMIC_SEQ_CST);              \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

struct Type {
    uint16_t kind, info;
    char name[1];
};
static bool is_runtime(const char* file) { return strstr(file, "/cuda_on_cpu/include/") != nullptr; }

// -fsanitize=alignment: the address is not a multiple of 2^alignment.
struct Mismatch {
    const char* file;
    uint32_t line, column;
    const Type* type;
    uint8_t alignment, what;
};
void __ubsan_handle_type_mismatch_v1(Mismatch* m, uintptr_t address) {
    if (!running || address == 0 || address % (uintptr_t(1) << m->alignment) == 0) return;
    if (is_runtime(m->file)) return;
    check.give_up("misaligned address: %s uses %#lx as %s at %s:%u, and it is no multiple of %lu",
                  check.thread(check.order.self).c_str(), long(address), m->type->name, m->file, m->line,
                  1ul << m->alignment);
}

// -fsanitize=bounds: of an array whose length the compiler knows.
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const Type *array, *index;
};
void __ubsan_handle_out_of_bounds(OutOfBounds* o, uintptr_t index) {
    if (!running || is_runtime(o->file)) return;
    check.give_up("out of bounds: %s uses index %ld of %s at %s:%u", check.thread(check.order.self).c_str(),
                  long(index), o->array->name, o->file, o->line);
}

// -fsanitize=shift-exponent: by less than 0, or by all bits and more.
struct Shift {
    const char* file;
    uint32_t line, column;
    const Type *left, *right;
};
void __ubsan_handle_shift_out_of_bounds(Shift* s, uintptr_t, uintptr_t by) {
    if (!running || is_runtime(s->file)) return;
    check.give_up(
        "shift: %s shifts %s by %d bits at %s:%u: C++ does not say what that gives, and a GPU gives another "
        "number than a CPU",
        check.thread(check.order.self).c_str(), s->left->name, int(by), s->file, s->line);
}
}
