// Graphs that are run: cudaGraphInstantiate() puts a graph's nodes in an order in which each comes after those it
// depends on.
#pragma once

#include "cuda_on_cpu/graph_api.h"

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
#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

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

}  // namespace cuda_on_cpu

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
