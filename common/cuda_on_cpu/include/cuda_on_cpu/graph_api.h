// Graphs: what streams would do, kept to be done again and again. A graph is captured from streams (stream.h) or made
// node by node; cudaGraphInstantiate() puts its nodes in an order in which each comes after those it depends on.
#pragma once

#include "cuda_on_cpu/memory_api.h"

struct [[gnu::visibility("hidden")]] CUgraphExec_st {
    struct Step {
        cudaGraphNode_t node;
        cudaGraphNodeType type;
        cuda_on_cpu::Work* work;
    };
    std::vector<Step> steps;
    ~CUgraphExec_st() {
        for (const Step& step : steps) delete step.work;
    }
};
using cudaGraphExec_t = CUgraphExec_st*;

enum cudaGraphInstantiateResult { cudaGraphInstantiateSuccess, cudaGraphInstantiateError };
enum {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagUseNodePriority = 8,
};
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged,
};
struct [[gnu::visibility("hidden")]] cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
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

// Each node after those that it depends on, else in the order in which they were made. False if there is a cycle.
inline bool append_steps(cudaGraph_t graph, CUgraphExec_st& exec) {
    std::vector<char> done(graph->nodes.size());
    for (size_t count = 0; count < done.size();) {
        const size_t before = count;
        for (size_t i = 0; i < done.size(); i++) {
            cudaGraphNode_t node = graph->nodes[i];
            bool ready = !done[i];
            for (cudaGraphNode_t n : node->after) ready = ready && done[index_of(graph, n)];
            if (!ready) continue;
            if (node->child && !append_steps(node->child, exec)) return false;
            exec.steps.push_back({node, node->type, clone(node->work)});
            done[i] = true;
            count++;
        }
        if (count == before) return false;
    }
    return true;
}

inline cudaError_t run_steps(const CUgraphExec_st& exec) {
    for (const auto& step : exec.steps) {
        const cudaError_t error = step.work ? step.work->run() : cudaSuccess;
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
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

// ---- execution -----------------------------------------------------------------------------------------------------

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long = 0) {
    if (!exec || !graph) return cuda_on_cpu::record(cudaErrorInvalidValue);
    auto* made = new CUgraphExec_st;
    if (cuda_on_cpu::append_steps(graph, *made)) {
        *exec = made;
        return cudaSuccess;
    }
    delete made;
    return cuda_on_cpu::record(cudaErrorInvalidValue);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long = 0) {
    return cudaGraphInstantiate(exec, graph);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
    return cudaGraphInstantiate(exec, graph);  // CUDA 11's form
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return cudaSuccess;
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (!exec) return cuda_on_cpu::record(cudaErrorInvalidValue);
    if (!cuda_on_cpu::capturing) return cuda_on_cpu::record(cuda_on_cpu::run_steps(*exec));
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::capture_mutex);  // a graph in a graph: a node for each step
    cuda_on_cpu::Capture* c = cuda_on_cpu::capture_of(stream);
    if (!c) return cuda_on_cpu::record(cuda_on_cpu::run_steps(*exec));
    for (const auto& step : exec->steps) c->last = {c->graph->add(step.type, cuda_on_cpu::clone(step.work), c->last)};
    return cudaSuccess;
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* p) {
    for (auto& step : exec->steps) {
        if (step.node != node) continue;
        delete step.work;
        step.work = cuda_on_cpu::bind_kernel(*p);
        return cudaSuccess;
    }
    return cuda_on_cpu::record(cudaErrorInvalidValue);
}
// The same nodes with other parameters, for instance of a second capture.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    CUgraphExec_st update;
    *info = {};
    if (!cuda_on_cpu::append_steps(graph, update) || update.steps.size() != exec->steps.size())
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; info->result == cudaGraphExecUpdateSuccess && i < exec->steps.size(); i++)
        if (update.steps[i].type != exec->steps[i].type) info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    if (info->result != cudaGraphExecUpdateSuccess) return cuda_on_cpu::record(cudaErrorGraphExecUpdateFailure);
    // The nodes stay those of the first graph, by which cudaGraphExecKernelNodeSetParams() finds them.
    for (size_t i = 0; i < exec->steps.size(); i++) std::swap(update.steps[i].work, exec->steps[i].work);
    return cudaSuccess;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {  // CUDA 11's form
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (error_node) *error_node = info.errorNode;
    *result = info.result;
    return error;
}

#pragma GCC visibility pop
