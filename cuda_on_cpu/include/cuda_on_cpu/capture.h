// What streams are given to do. It is done at once, except while a stream captures a graph: then enqueue() keeps it as
// a node of the graph, and cudaGraphLaunch() does it later.
#pragma once

#include "cuda_on_cpu/watch.h"

struct [[gnu::visibility("hidden")]] CUgraph_st;
struct [[gnu::visibility("hidden")]] CUgraphNode_st;
using cudaGraph_t = CUgraph_st*;
using cudaGraphNode_t = CUgraphNode_st*;

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed,
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated,
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree,
};

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// What a stream is given to do, for later.
struct Work {
    virtual cudaError_t run() const = 0;
    virtual Work* clone() const = 0;
    virtual ~Work() = default;
};
template <class F>
struct WorkOf final : Work {
    F f;
    explicit WorkOf(const F& f) : f(f) {}
    cudaError_t run() const override { return f(); }
    Work* clone() const override { return new WorkOf(f); }
};

}  // namespace cuda_on_cpu

struct CUgraphNode_st {
    cudaGraphNodeType type;
    cuda_on_cpu::Work* work;             // null: nothing to do
    std::vector<cudaGraphNode_t> after;  // the nodes that it depends on
    cudaGraph_t child;                   // of a node that is a graph itself
};

struct CUgraph_st {
    std::vector<cudaGraphNode_t> nodes;
    cudaGraphNode_t add(cudaGraphNodeType type, cuda_on_cpu::Work* work, const std::vector<cudaGraphNode_t>& after) {
        nodes.push_back(new CUgraphNode_st{type, work, after, nullptr});
        return nodes.back();
    }
};

namespace cuda_on_cpu {

// Null while no stream captures: nearly always. Else keep_or_run(), below. A pointer, so that programs without graphs
// are compiled without the code of graphs.
inline cudaError_t (*capturing)(cudaStream_t, cudaGraphNodeType, const Work&) = nullptr;

// A stream that captures: since cudaStreamBeginCapture(), or since it waited for an event of such a stream.
struct Capture {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStream_t origin;  // the stream of cudaStreamBeginCapture()
    cudaStreamCaptureMode mode;
    bool invalid;
    std::vector<cudaGraphNode_t> last;  // the next node depends on these
};

inline std::mutex capture_mutex;
inline std::vector<Capture*>& captures() {
    static std::vector<Capture*> all;
    return all;
}

inline Capture* capture_of(cudaStream_t stream) {
    for (Capture* c : captures())
        if (c->stream == stream) return c;
    return nullptr;
}

inline bool is_legacy(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }
inline bool is_blocking(cudaStream_t stream) {
    return stream != cudaStreamPerThread && !(stream->flags & cudaStreamNonBlocking);
}

// Whether some capture does not allow what is asked for. Nothing more can be captured then, and cudaStreamEndCapture()
// says so.
template <class F>
cudaError_t refuse(cudaError_t error, F forbids) {
    if (!capturing) return cudaSuccess;
    const std::lock_guard<std::mutex> lock(capture_mutex);
    bool found = false;
    for (Capture* c : captures())
        if (forbids(*c)) found = c->invalid = true;
    return found ? record(error) : cudaSuccess;
}

// That a stream be waited for; the legacy one waits for all blocking streams.
inline cudaError_t refuse_in_capture(cudaStream_t stream) {
    if (is_legacy(stream))
        return refuse(cudaErrorStreamCaptureImplicit, [](const Capture& c) { return is_blocking(c.stream); });
    return refuse(cudaErrorStreamCaptureUnsupported, [stream](const Capture& c) { return c.stream == stream; });
}
// That the whole device be waited for.
inline cudaError_t refuse_device_in_capture() {
    return refuse(cudaErrorStreamCaptureUnsupported, [](const Capture&) { return true; });
}
// What may wait, such as cudaMalloc(): the capture's mode decides.
inline cudaError_t refuse_unsafe_in_capture() {
    return refuse(cudaErrorStreamCaptureUnsupported,
                  [](const Capture& c) { return c.mode != cudaStreamCaptureModeRelaxed; });
}

// What a stream is given to do: done at once, or kept if the stream captures.
inline cudaError_t keep_or_run(cudaStream_t stream, cudaGraphNodeType type, const Work& work) {
    cudaError_t error = is_legacy(stream) ? refuse_in_capture(stream) : cudaSuccess;
    std::unique_lock<std::mutex> lock(capture_mutex);
    Capture* c = error ? nullptr : capture_of(stream);
    if (c && !c->invalid) {
        c->last = {c->graph->add(type, work.clone(), c->last)};
        return cudaSuccess;
    }
    lock.unlock();
    return error ? error : record(c ? cudaErrorStreamCaptureInvalidated : work.run());
}
template <class F>
cudaError_t enqueue(cudaStream_t stream, cudaGraphNodeType type, const F& work) {
    needs_stream(stream, "a call such as cudaMemsetAsync()");
    return capturing ? capturing(stream, type, WorkOf<F>(work)) : record(work());
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
