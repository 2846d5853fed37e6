// Graphs: what streams would do, kept. A graph is captured from streams (capture.h) or made node by node.
#pragma once

#include "cuda_on_cpu/copy_api.h"

struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};

struct cudaKernelNodeParams {
    void* func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct cudaMemsetParams {
    void* dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;  // in elements, in rows
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline Work* bind_kernel(const cudaKernelNodeParams&);  // a call with copies of the arguments: launch_api.h has it
inline Work* clone(const Work* work) { return work ? work->clone() : nullptr; }

inline void destroy(cudaGraph_t graph) {
    for (cudaGraphNode_t node : graph->nodes) {
        if (node->child) destroy(node->child);
        delete node->work;
        delete node;
    }
    delete graph;
}

inline size_t index_of(cudaGraph_t graph, cudaGraphNode_t node) {
    return size_t(std::find(graph->nodes.begin(), graph->nodes.end(), node) - graph->nodes.begin());
}

inline cudaGraph_t clone(cudaGraph_t graph) {
    auto* copy = new CUgraph_st;
    for (cudaGraphNode_t node : graph->nodes) {
        cudaGraphNode_t c = copy->add(node->type, clone(node->work), {});
        if (node->child) c->child = clone(node->child);
    }
    for (size_t i = 0; i < graph->nodes.size(); i++)
        for (cudaGraphNode_t before : graph->nodes[i]->after)
            copy->nodes[i]->after.push_back(copy->nodes[index_of(graph, before)]);
    return copy;
}

inline cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                            cudaGraphNodeType type, Work* work) {
    if (!node || !graph || (n > 0 && !after)) return record(cudaErrorInvalidValue);
    *node = graph->add(type, work, std::vector<cudaGraphNode_t>(after, after + n));
    return cudaSuccess;
}

template <class F>
Work* work_of(const F& f) {
    return new WorkOf<F>(f);
}

}  // namespace cuda_on_cpu

// ---- capture -------------------------------------------------------------------------------------------------------

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    if (cuda_on_cpu::is_legacy(stream)) return cuda_on_cpu::record(cudaErrorStreamCaptureUnsupported);
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);
    if (cuda_on_cpu::capture_of(stream)) return cuda_on_cpu::record(cudaErrorIllegalState);
    cuda_on_cpu::captures().push_back(new cuda_on_cpu::Capture{stream, new CUgraph_st, stream, mode, false, {}});
    cuda_on_cpu::capturing = cuda_on_cpu::keep_or_run;
    return cudaSuccess;
}

inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = nullptr;
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);
    const cuda_on_cpu::Capture* own = cuda_on_cpu::capture_of(stream);
    if (!own) return cuda_on_cpu::record(cudaErrorIllegalState);
    if (own->origin != stream) return cuda_on_cpu::record(cudaErrorStreamCaptureUnmatched);

    // Every node must come before the end of this stream: one of another stream does if this stream waited for it.
    cudaGraph_t captured = own->graph;
    std::vector<cudaGraphNode_t> reached;
    const auto reach = [&](const std::vector<cudaGraphNode_t>& nodes) {
        for (cudaGraphNode_t node : nodes)
            if (std::find(reached.begin(), reached.end(), node) == reached.end()) reached.push_back(node);
    };
    reach(own->last);
    for (size_t i = 0; i < reached.size(); i++) reach(std::vector<cudaGraphNode_t>(reached[i]->after));
    bool invalid = false;
    std::vector<cuda_on_cpu::Capture*> others;
    for (cuda_on_cpu::Capture* c : cuda_on_cpu::captures()) {
        if (c->graph != captured) {
            others.push_back(c);
            continue;
        }
        invalid |= c->invalid;
        delete c;
    }
    cuda_on_cpu::captures() = others;
    if (others.empty()) cuda_on_cpu::capturing = nullptr;
    if (!invalid && reached.size() == captured->nodes.size()) {
        *graph = captured;
        return cudaSuccess;
    }
    cuda_on_cpu::destroy(captured);
    return cuda_on_cpu::record(invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined);
}

inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);
    const cuda_on_cpu::Capture* c = cuda_on_cpu::capture_of(stream);
    *status = !c           ? cudaStreamCaptureStatusNone
              : c->invalid ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = new CUgraph_st;
    return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    if (!graph) return cuda_on_cpu::record(cudaErrorInvalidValue);
    cuda_on_cpu::destroy(graph);
    return cudaSuccess;
}
inline cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
    *copy = cuda_on_cpu::clone(graph);
    return cudaSuccess;
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                         size_t n) {
    return cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeEmpty, nullptr);
}
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t n, const cudaKernelNodeParams* p) {
    return cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeKernel, cuda_on_cpu::bind_kernel(*p));
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t n, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeMemcpy,
                                 cuda_on_cpu::work_of([=] { return cuda_on_cpu::copy(to, from, bytes, kind); }));
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t n, const cudaMemcpy3DParms* p) {
    const cudaMemcpy3DParms params = *p;
    return cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeMemcpy,
                                 cuda_on_cpu::work_of([=] { return cuda_on_cpu::copy_3d(params); }));
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t n, const cudaMemsetParams* p) {
    const cudaMemsetParams params = *p;
    if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
        return cuda_on_cpu::record(cudaErrorInvalidValue);
    return cuda_on_cpu::add_node(
        node, graph, after, n, cudaGraphNodeTypeMemset, cuda_on_cpu::work_of([=] {
            for (size_t y = 0; y < params.height; y++)
                for (size_t x = 0; x < params.width; x++)  // a GPU's numbers are little-endian, and so are the host's
                    memcpy(static_cast<char*>(params.dst) + y * params.pitch + x * params.elementSize, &params.value,
                           params.elementSize);
            return cudaSuccess;
        }));
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t n, const cudaHostNodeParams* p) {
    const cudaHostNodeParams params = *p;
    return cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeHost, cuda_on_cpu::work_of([=] {
                                     params.fn(params.userData);
                                     return cudaSuccess;
                                 }));
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                              size_t n, cudaGraph_t child) {
    const cudaError_t error = cuda_on_cpu::add_node(node, graph, after, n, cudaGraphNodeTypeGraph, nullptr);
    if (error == cudaSuccess) (*node)->child = cuda_on_cpu::clone(child);
    return error;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            const cudaGraphEdgeData*, size_t n) {
    for (size_t i = 0; i < n; i++) to[i]->after.push_back(from[i]);
    return cudaSuccess;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t n) {  // CUDA 12's form
    return cudaGraphAddDependencies(graph, from, to, nullptr, n);
}

inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
    if (nodes) std::copy_n(graph->nodes.begin(), std::min(*n, graph->nodes.size()), nodes);
    *n = nodes ? std::min(*n, graph->nodes.size()) : graph->nodes.size();
    return cudaSuccess;
}
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    *type = node->type;
    return cudaSuccess;
}
inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    delete node->work;
    node->work = cuda_on_cpu::bind_kernel(*p);
    return cudaSuccess;
}

#pragma GCC visibility pop
