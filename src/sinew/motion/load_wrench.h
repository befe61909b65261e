#pragma once

#include "sinew/body/external_load.h"
#include "sinew/motion/rigid_dynamics.h"

#include <vector>

namespace sinew {

/// The loads at one moment on bodies placed so, in the world frame. Between samples values are
/// linear in time. Up to one sample before the first and after the last they are held; further out
/// there is no load.
void add_loads_at(const ExternalLoads& loads, const ModelPlacement& placement, double time,
                  std::vector<BodyLoad>& out);

/// Whether every load is known at this time.
bool covers_time(const ExternalLoads& loads, double time);

}  // namespace sinew
