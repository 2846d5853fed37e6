// What is said of a launch: the mistakes that were found in it, and the words for threads and arrays.
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include <map>
#include <set>
#include <tuple>

#include "../include/cuda_on_cpu/recorder.h"
#include "arrays.h"
#include "order.h"
#include "sites.h"

namespace cuda_on_cpu_recorder {

// The twin of cuda_on_cpu::format(), for which the compiler reports accesses: the recorder must not record itself.
[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
    char* text = nullptr;
    va_list values;
    va_start(values, pattern);
    const int length = vasprintf(&text, pattern, values);
    va_end(values);
    std::string result(length < 0 ? "" : text);
    if (length >= 0) free(text);
    return result;
}

class Report {
public:
    Sites sites;
    Arrays arrays;
    Order order;
    Launch launch = {};

    void begin(const Launch& l) {
        launch = l;
        findings_.clear(), said_.clear(), said_of_lines_.clear(), more_ = 0;
    }
    // All findings of the launch, or null.
    const char* end() {
        if (findings_.empty()) return nullptr;
        message_ = format("CUDA on CPU: kernel %s: ", kernel().c_str());
        for (const std::string& finding : findings_) message_ += (findings_.size() > 1 ? "\n  " : "") + finding;
        if (more_) message_ += format("\n  and %u more", more_);
        return message_.c_str();
    }

    // A mistake of one kind in one line, or in two for a race, is said once: a line may have many sites.
    struct Key {
        int what;
        uint32_t site, other;
        bool operator<(const Key& o) const { return std::tie(what, site, other) < std::tie(o.what, o.site, o.other); }
    };
    bool is_said(const Key& key) const { return said_.count(key) != 0; }
    // instead: of what these lines were said to do.
    void say(const std::string& text, const Key& key, bool instead = false) {
        said_.insert(key);
        const Key lines = {key.what, sites.line_of(key.site), sites.line_of(key.other)};
        const auto [said, is_new] = said_of_lines_.insert({lines, findings_.size()});
        if (!is_new && instead && said->second < findings_.size()) findings_[said->second] = text;
        if (!is_new) return;
        if (findings_.size() < 8)
            findings_.push_back(text);
        else
            more_++;
    }
    // Of a mistake after which the launch cannot go on.
    [[gnu::format(printf, 2, 3)]] void give_up(const char* pattern, ...) {
        char text[2048];
        va_list values;
        va_start(values, pattern);
        vsnprintf(text, sizeof text, pattern, values);
        va_end(values);
        nobody_runs();
        launch.give_up(format("CUDA on CPU: kernel %s: %s", kernel().c_str(), text).c_str());
    }

    // ---- words -----------------------------------------------------------------------------------------------------

    std::string kernel() const {
        if (strcmp(launch.kernel, by_address) != 0) return launch.kernel;
        const std::string symbol = variable(uintptr_t(launch.function));  // void f<int>(int*)
        return symbol.compare(0, 5, "void ") == 0 ? symbol.substr(5) : symbol;
    }
    std::string thread(Who who) const {
        const auto b = order.index_of(who.block);
        return format("thread (%u, %u, %u) of block (%u, %u, %u)", who.rank % launch.block_x,
                      who.rank / launch.block_x % launch.block_y, who.rank / launch.block_x / launch.block_y, b.x, b.y,
                      b.z);
    }
    static std::string in_bytes(size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }
    // "byte 8 of array 2, 400 bytes by cudaMalloc() at a.cu:31"
    std::string name(const Array& array) {
        if (const Room* r = array.room)
            return name(*array.original) + format(" in block (%u, %u, %u)", r->x, r->y, r->z);
        const std::string bytes = in_bytes(array.end - array.begin);
        const std::string where = sites.first_outside(array.allocated_at);
        const char* types[] = {"cudaMalloc()", "cudaMallocHost()", "cudaMallocManaged()"};
        switch (array.place) {
            case Place::tensor:
                return "the " + bytes + " of a tensor";
            case Place::shared:
                return array.begin == uintptr_t(launch.dynamic_memory)
                           ? "the " + bytes + " of dynamic shared memory"
                           : "the shared array " + variable(array.begin) + " of " + bytes;
            case Place::variable:
                return "a variable";
            case Place::unknown:
                return "memory";
            default:
                return format("the %s of %s number %u", bytes.c_str(), types[int(array.place)], array.number) +
                       (where.empty() ? "" : " (" + where + ")");
        }
    }
    std::string place(const Array& array, uintptr_t at) {
        if (const Parameter* p = arrays.parameter(at, array)) return p->at(at);
        if (array.place == Place::unknown) return format("memory at %#lx", long(at));
        if (array.place == Place::variable) return "the variable " + variable(at);
        const Array& original = array.original ? *array.original : array;
        const size_t offset = at - original.begin;
        return format("byte %zu of %s", offset, name(array).c_str()) + indices(original, offset);
    }
    // ", tile[0][1],"
    std::string indices(const Array& array, size_t offset) {
        if (array.extents.empty() || offset >= array.end - array.begin) return "";
        std::string text;
        size_t i = offset / array.element;
        for (size_t d = array.extents.size(); d-- > 0; i /= array.extents[d])
            text = "[" + std::to_string(i % array.extents[d]) + "]" + text;
        const std::string full = variable(array.begin);
        const size_t scope = full.rfind("::");
        return ", " + full.substr(scope == std::string::npos ? 0 : scope + 2) + text + ",";
    }
    // The name of a variable in a program or library.
    static std::string variable(uintptr_t at) {
        const Image image(reinterpret_cast<void*>(at));
        if (image.file.empty()) return "?";
        FILE* nm = popen(("unset LD_PRELOAD; nm -nC --defined-only '" + image.file + "' 2>/dev/null").c_str(), "r");
        if (!nm) return "?";
        char line[4096];
        std::string best = "?";
        uintptr_t start = 0;
        while (fgets(line, sizeof line, nm)) {
            line[strcspn(line, "\n")] = 0;
            const uintptr_t address = strtoul(line, nullptr, 16);
            if (address > at - image.base || strlen(line) < 20) continue;
            best = line + 19, start = address;
        }
        pclose(nm);
        const size_t offset = at - image.base - start;
        return offset ? format("%s + %zu", best.c_str(), offset) : best;
    }

private:
    std::vector<std::string> findings_;
    std::set<Key> said_;
    std::map<Key, size_t> said_of_lines_;  // and in which finding
    unsigned more_ = 0;
    std::string message_;
};

}  // namespace cuda_on_cpu_recorder
