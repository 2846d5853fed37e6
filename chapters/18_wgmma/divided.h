// divided.h: what divided.cu offers. No torch.
#pragma once
#include "launch.h"
#include "plan.h"

// plan: with parts > 1.
template <class T>
void launch_divided(const Plan& plan, const Launch& launch, bool a_along_k, bool b_along_k, const CUtensorMap& a,
                    const CUtensorMap& b, const Task<T>& task);
