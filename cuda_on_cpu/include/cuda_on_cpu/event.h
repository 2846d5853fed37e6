// Events: the time when they were recorded, or a place in the graph that a stream captures.
#pragma once

#include "cuda_on_cpu/stream.h"

#pragma GCC visibility push(hidden)

struct CUevent_st {
    unsigned flags;
    int64_t time;  // nanoseconds
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
    event->time = cuda_on_cpu::nanoseconds_now();
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
    *milliseconds = float(end->time - start->time) / 1e6f;
    return cudaSuccess;
}

#pragma GCC visibility pop
