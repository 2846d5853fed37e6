// Where in the source an access is: a call's return address, or a file and a line. An access keeps a number; what the
// number stands for is asked of addr2line, and only when something is to be said about it.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

extern char** environ;

namespace cuda_on_cpu_recorder {

// The program or library at an address: its file, and where it lies.
struct Image {
    std::string file;
    uintptr_t base = 0;

    explicit Image(const void* address) {
        Dl_info info, program;
        if (!dladdr(address, &info) || !info.dli_fname) return;
        file = info.dli_fname;
        // The program's own name is whatever it was started with.
        if (dladdr(reinterpret_cast<void*>(getauxval(AT_PHDR)), &program) && program.dli_fbase == info.dli_fbase)
            file = "/proc/" + std::to_string(getpid()) + "/exe";
        const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
        if (header->e_type == ET_DYN) base = uintptr_t(info.dli_fbase);
    }
};

// Which addresses belong to __constant__ variables: each lies in a section of its own (include/cuda_on_cpu/keywords.h).
class Constants {
public:
    bool contains(uintptr_t a) {
        const auto [found, is_new] = pages_.try_emplace(a >> 12);
        if (is_new) found->second = sections(reinterpret_cast<const void*>(a));
        for (const auto& [begin, end] : found->second)
            if (a >= begin && a < end) return true;
        return false;
    }

private:
    using Sections = std::vector<std::pair<uintptr_t, uintptr_t>>;  // begin and end

    static Sections sections(const void* address) {
        Sections found;
        const Image image(address);
        if (image.file.empty()) return found;
        const int file = open(image.file.c_str(), O_RDONLY | O_CLOEXEC);
        const auto read = [&](void* to, size_t bytes, size_t place) {
            return file >= 0 && pread(file, to, bytes, off_t(place)) == ssize_t(bytes);
        };
        Elf64_Ehdr header = {};
        std::vector<Elf64_Shdr> all(read(&header, sizeof header, 0) ? header.e_shnum : 0);
        if (read(all.data(), all.size() * sizeof all[0], header.e_shoff))
            for (const Elf64_Shdr& s : all) {
                char name[14] = {};
                if (read(name, 13, all[header.e_shstrndx].sh_offset + s.sh_name) && strcmp(name, "cuda_constant") == 0)
                    found.push_back({image.base + s.sh_addr, image.base + s.sh_addr + s.sh_size});
            }
        if (file >= 0) close(file);
        return found;
    }

    std::unordered_map<uintptr_t, Sections> pages_;  // of the program or library in that page of 4 KB
};

// Return addresses, the innermost function's first.
struct Calls {
    static constexpr unsigned max = 8;
    const void* pc[max] = {};
    unsigned count = 0;
    const void* const* begin() const { return pc; }
    const void* const* end() const { return pc + count; }
    bool operator==(const Calls& o) const { return count == o.count && memcmp(pc, o.pc, sizeof pc) == 0; }
};

struct Site {
    const void* pc;  // null: file and line are known
    std::string file = {};
    int line = 0;
    bool is_known = false;
    bool is_runtime = false;  // inside of CUDA on CPU; file and line are then the call's
};

// addr2line answers for one program or library for as long as the process lives.
class Addr2line {
public:
    explicit Addr2line(const char* file) {
        int in[2], out[2];
        if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, in[0], 0);
        posix_spawn_file_actions_adddup2(&files, out[1], 1);
        std::vector<char*> environment;  // without LD_PRELOAD, which is meant for this process
        for (char** e = environ; *e; e++)
            if (strncmp(*e, "LD_PRELOAD=", 11) != 0) environment.push_back(*e);
        environment.push_back(nullptr);
        posix_spawnattr_t own_group;  // else Ctrl-C would end it before the place where it was is said
        posix_spawnattr_init(&own_group);
        posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
        const char* arguments[] = {"addr2line", "-i", "-a", "-e", file, nullptr};
        pid_t child;
        const int failed =
            posix_spawnp(&child, arguments[0], &files, &own_group, const_cast<char**>(arguments), environment.data());
        posix_spawn_file_actions_destroy(&files), posix_spawnattr_destroy(&own_group);
        close(in[0]), close(out[1]);
        if (!failed) to_ = fdopen(in[1], "w"), from_ = fdopen(out[0], "r");
    }

    // "file:line", the innermost of inlined functions first.
    std::vector<std::string> lines(uintptr_t address) {
        std::vector<std::string> found;
        if (!to_ || !from_) return found;
        // The second address ends the answer: addr2line repeats each address that it is asked for.
        fprintf(to_, "%#lx\n0\n", long(address));
        fflush(to_);
        char text[4096];
        for (int addresses = 0; fgets(text, sizeof text, from_);) {
            text[strcspn(text, "\n")] = 0;
            if (text[0] == '0' && text[1] == 'x') {
                addresses++;
                continue;
            }
            if (addresses == 2) break;
            if (char* more = strstr(text, " (discriminator")) *more = 0;
            found.push_back(text);
        }
        return found;
    }

private:
    FILE *to_ = nullptr, *from_ = nullptr;
};

class Sites {
public:
    // The number of a site. Called at every access.
    uint32_t of(const void* pc) {
        Entry& entry = recent_[uintptr_t(pc) % size];
        if (entry.pc != pc) entry = {pc, number_of(pc)};
        return entry.site;
    }
    uint32_t of(const char* file, int line) {
        uint32_t& site = by_line_[{file, line}];
        if (!site) site = add({nullptr, file, line, true, is_runtime_file(file)});
        return site;
    }

    Site& get(uint32_t site) {
        Site& s = all_[site];
        if (!s.is_known) find(s), known_runtime_[site] = s.is_runtime;
        return s;
    }
    // One number for all sites of a line.
    uint32_t line_of(uint32_t site) {
        const Site& s = get(site);
        return of_lines_.try_emplace({s.file, s.line}, site).first->second;
    }
    bool is_known_runtime(uint32_t site) const { return known_runtime_[site]; }

    // The lines of a function and of those that it is inlined into, where they are not CUDA on CPU's.
    std::string lines(const Calls& pcs) {
        std::string all;
        for (const void* pc : pcs) {
            auto [found, is_new] = lines_.try_emplace(pc);
            if (is_new) found->second = lines(pc);
            for (const std::string& place : found->second) all += (all.empty() ? "" : ", ") + place;
        }
        return all;
    }

    // The first line outside of CUDA on CPU among return addresses.
    std::string first_outside(const Calls& pcs) {
        for (const void* pc : pcs) {
            const Site& s = get(of(pc));
            if (s.line) return text(s);
        }
        return "";
    }
    static std::string text(const Site& s) { return s.line ? s.file + ":" + std::to_string(s.line) : "unknown line"; }
    std::string text(uint32_t site) { return text(get(site)); }

private:
    static constexpr size_t size = 1 << 14;
    struct Entry {
        const void* pc;
        uint32_t site;
    };

    uint32_t add(Site s) {
        if (all_.empty()) all_.push_back({nullptr});
        all_.push_back(s);
        known_runtime_.resize(all_.size());
        known_runtime_.back() = s.is_known && s.is_runtime;
        return uint32_t(all_.size() - 1);
    }
    [[gnu::noinline]] uint32_t number_of(const void* pc) {
        uint32_t& site = by_pc_[pc];
        if (!site) site = add({pc});
        return site;
    }

    static bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
    // A translated file says for all of its own lines that they are the source's (#line). What is left is the
    // compiler's.
    static bool is_runtime_file(const std::string& file) {
        return contains(file, "/cuda_on_cpu/include/") || contains(file, "/cuda_on_cpu/recorder/") ||
               contains(file, ".cu.cpp");
    }
    // Headers whose functions read and write for the kernel that calls them.
    static bool is_for_caller(const std::string& file) {
        for (const char* name : {"/device_memory.h", "/vector_types.h", "/float16_types.h", "/float16_functions.h",
                                 "/cuda_atomic.h", "/include/cuda/std/", "/include/cub/", "/cub_block.h"})
            if (contains(file, name)) return true;
        return false;
    }

    std::vector<std::string> lines(const void* pc) {
        std::vector<std::string> found;
        const Image image(pc);
        if (image.file.empty()) return found;
        for (const std::string& place : tool(image).lines(uintptr_t(pc) - 1 - image.base))
            if (!is_runtime_file(place) && place[0] == '/') found.push_back(place);
        return found;
    }

    Addr2line& tool(const Image& image) {
        auto [found, is_new] = tools_.try_emplace(image.file, nullptr);
        if (is_new) found->second = new Addr2line(image.file.c_str());
        return *found->second;
    }

    void find(Site& s) {
        s.is_known = true, s.is_runtime = true;
        const Image image(s.pc);
        if (image.file.empty()) return;
        bool is_inside = false;
        for (const std::string& place : tool(image).lines(uintptr_t(s.pc) - 1 - image.base)) {
            const size_t colon = place.rfind(':');
            if (colon == std::string::npos) continue;
            const std::string file = place.substr(0, colon);
            is_inside = is_inside || (is_runtime_file(file) && !is_for_caller(file));
            if (is_runtime_file(file) || file.rfind("/usr/", 0) == 0 || file.rfind("./", 0) == 0 || file[0] == '?')
                continue;
            s.is_runtime = is_inside, s.file = file, s.line = atoi(place.c_str() + colon + 1);
            return;
        }
    }

    Entry recent_[size] = {};
    std::unordered_map<const void*, uint32_t> by_pc_;
    std::map<std::pair<const char*, int>, uint32_t> by_line_;
    std::map<std::pair<std::string, int>, uint32_t> of_lines_;
    std::vector<Site> all_;
    std::vector<char> known_runtime_;  // by site
    std::unordered_map<const void*, std::vector<std::string>> lines_;
    std::map<std::string, Addr2line*> tools_;
};

}  // namespace cuda_on_cpu_recorder
