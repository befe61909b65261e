#pragma once

#include "sinew/growth/grow.h"

namespace sinew::growth_stages {

// The steps of grow(), for those that keep some of them (growth_session.h).

void note_bones(const BoneEditReport& report, GrowthResult& result);
void note_muscles(const MuscleGrowth& growth, const MuscleGrowthReport& report, Eigen::Index tets,
                  GrowthResult& result);
/// Values per skin vertex of a region: of the plan's own maps, else a built-in one.
std::vector<double> map_named(const Body& body, const GrowthPlan& plan, const std::string& name);
/// Where fat goes for weight and body fat.
std::vector<double> spread_of(const Body& body, const GrowthPlan& plan);
Body with_stature(Body body, const GrowthPlan& plan);
/// Fat, and all of it scaled until the skin has the stature: muscles and fat on crown and soles
/// change it a little.
Body with_fat_and_stature(Body body, const GrowthPlan& plan, GrowthResult& result,
                          const Progress& progress);
/// Regions of fat alone.
Body with_fat_regions(const Body& body, GrowthPlan plan, GrowthResult& result,
                      const Progress& progress);
/// Where the flesh of result.body hangs.
void sag(GrowthResult& result, const Progress& progress);
/// Fits muscles' surfaces to the tetrahedra of result.body; its muscles, mass, fat and stature, and
/// what is wrong with it.
/// @param body  before all
void measure(const Body& body, GrowthResult& result);

}  // namespace sinew::growth_stages
