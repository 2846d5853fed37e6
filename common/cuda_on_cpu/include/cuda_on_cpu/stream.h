// Streams. Everything is done when a call returns, so a stream is no more than a name; except while it captures a
// graph: then enqueue() keeps what it is given as a node of the graph, and cudaGraphLaunch() does it later.
#pragma once

#include "cuda_on_cpu/error.h"
#include "cuda_on_cpu/vector_types.h"

struct CUstream_st {
    unsigned flags;
    int priority;
};
struct [[gnu::visibility("hidden")]] CUgraph_st;
struct [[gnu::visibility("hidden")]] CUgraphNode_st;
using cudaStream_t = CUstream_st*;
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

// After a mistake during a capture nothing more can be captured, and cudaStreamEndCapture() says so.
inline bool invalidate(bool (*condition)(const Capture&, cudaStream_t), cudaStream_t stream) {
    bool found = false;
    for (Capture* c : captures())
        if (condition(*c, stream)) found = c->invalid = true;
    return found;
}

// The error, if a capture does not allow that this stream (the legacy stream: all blocking streams) be waited for.
inline cudaError_t refuse_in_capture(cudaStream_t stream) {
    if (!capturing) return cudaSuccess;
    const std::lock_guard<std::mutex> lock(capture_mutex);
    if (!is_legacy(stream)) {
        const auto same = [](const Capture& c, cudaStream_t s) { return c.stream == s; };
        return invalidate(same, stream) ? record(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
    }
    const auto blocking = [](const Capture& c, cudaStream_t) { return is_blocking(c.stream); };
    return invalidate(blocking, stream) ? record(cudaErrorStreamCaptureImplicit) : cudaSuccess;
}

// The same for what waits for the whole device, and for what may wait, such as cudaMalloc(): the mode decides.
inline cudaError_t refuse_device_in_capture() {
    if (!capturing) return cudaSuccess;
    const std::lock_guard<std::mutex> lock(capture_mutex);
    const auto all = [](const Capture&, cudaStream_t) { return true; };
    return invalidate(all, nullptr) ? record(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}
inline cudaError_t refuse_unsafe_in_capture() {
    if (!capturing) return cudaSuccess;
    const std::lock_guard<std::mutex> lock(capture_mutex);
    const auto strict = [](const Capture& c, cudaStream_t) { return c.mode != cudaStreamCaptureModeRelaxed; };
    return invalidate(strict, nullptr) ? record(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
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
    return capturing ? capturing(stream, type, WorkOf<F>(work)) : record(work());
}

}  // namespace cuda_on_cpu

inline cudaError_t cudaDeviceSynchronize() {
    if (const cudaError_t error = cuda_on_cpu::refuse_device_in_capture()) return error;
    return cuda_on_cpu::synchronize();
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (flags > cudaStreamNonBlocking) return cuda_on_cpu::record(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, std::max(-5, std::min(priority, 0))};
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0, *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread)
        return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    delete stream;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread ? 0 : stream->priority;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread ? 0 : stream->flags;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    return cuda_on_cpu::synchronize();
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return cuda_on_cpu::refuse_in_capture(stream); }

// ---- functions of the host in a stream -----------------------------------------------------------------------------

#define CUDART_CB
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);

inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (!function) return cuda_on_cpu::record(cudaErrorInvalidValue);
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeHost, [=] {
        function(data);
        return cudaSuccess;
    });
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                         unsigned flags) {
    if (!callback || flags != 0) return cuda_on_cpu::record(cudaErrorInvalidValue);
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}

// ---- events --------------------------------------------------------------------------------------------------------

struct CUevent_st {
    unsigned flags;
    std::chrono::steady_clock::time_point time;
    bool recorded;
    cudaGraph_t graph;                   // if it was last recorded in a stream that captures
    std::vector<cudaGraphNode_t> after;  // ... then after these
};
using cudaEvent_t = CUevent_st*;
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaEventRecordDefault = 0, cudaEventRecordExternal = 1, cudaEventWaitDefault = 0, cudaEventWaitExternal = 1 };

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    *event = new CUevent_st{flags, {}, false, nullptr, {}};
    return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    event->graph = nullptr;
    if (cuda_on_cpu::capturing) {
        const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);
        if (const cuda_on_cpu::Capture* c = cuda_on_cpu::capture_of(stream)) {
            event->graph = c->graph, event->after = c->last;
            return cudaSuccess;
        }
    }
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned = 0) {
    return cudaEventRecord(event, stream);
}
// A stream that waits for an event of a stream that captures takes part in the capture from then on.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    if (!cuda_on_cpu::capturing) return cudaSuccess;
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);
    cuda_on_cpu::Capture* own = cuda_on_cpu::capture_of(stream);
    if (!event->graph) {  // what happened before the capture cannot be part of the graph
        if (!own) return cudaSuccess;
        own->invalid = true;
        return cuda_on_cpu::record(cudaErrorStreamCaptureIsolation);
    }
    if (!own) {
        for (const cuda_on_cpu::Capture* c : cuda_on_cpu::captures()) {
            if (c->graph != event->graph) continue;
            const cuda_on_cpu::Capture joined = {stream, c->graph, c->origin, c->mode, c->invalid, event->after};
            cuda_on_cpu::captures().push_back(new cuda_on_cpu::Capture(joined));
            return cudaSuccess;
        }
        return cuda_on_cpu::record(cudaErrorCapturedEvent);  // the capture is over
    }
    if (own->graph != event->graph) return cuda_on_cpu::record(cudaErrorStreamCaptureMerge);
    for (cudaGraphNode_t node : event->after) own->last.push_back(node);
    return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    return cuda_on_cpu::record(event->graph ? cudaErrorCapturedEvent : cudaSuccess);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (const cudaError_t error = cudaEventQuery(event)) return error;
    return cuda_on_cpu::synchronize();
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!start || !end || !start->recorded || !end->recorded || (start->flags | end->flags) & cudaEventDisableTiming)
        return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

#pragma GCC visibility pop
