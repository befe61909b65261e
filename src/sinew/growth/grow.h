#pragma once

#include "sinew/growth/bone_editing.h"
#include "sinew/growth/fat_growth.h"
#include "sinew/growth/muscle_growth.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// A word (a muscle, a group, a region, a bone) and its number.
using NamedValue = std::pair<std::string, double>;

/// What to change. Later entries override earlier ones that mean the same muscle or part.
struct GrowthPlan {
    std::vector<NamedValue> muscles = {};  ///< alpha of muscles, groups or "all"
    std::vector<NamedValue> fat = {};      ///< factor of the fat of regions (fat_maps.h)
    std::vector<NamedValue> bones = {};    ///< scale of bones and body parts (body_parts.h)
    std::optional<double> stature = {};    ///< m, by uniform scaling after the bones
    std::optional<double> weight = {};     ///< kg, reached by fat
    std::optional<double> body_fat = {};   ///< share of the mass in (0, 1), reached by fat
    FatModel fat_model = FatModel::Pressure;
    /// Where fat goes for weight and body fat: a region's name; empty: by sex (a woman's by
    /// "gynoid" and "uniform", a man's by "android" and "uniform").
    std::string fat_distribution = {};
    /// Maps of regions that are not built in, one value per skin vertex.
    std::vector<std::pair<std::string, std::vector<double>>> fat_maps = {};
    std::vector<double> fat_transfer = {};  ///< see fat_transfer_ratios
    int iterations = 60;                    ///< of muscle growth at most, >= 1
    bool shows_gravity = false;             ///< also find where the flesh hangs
};

struct GrowthResult {
    Body body;                                ///< the new rest, without gravity
    Points sagged = Points(0, 3);             ///< points of its tets under gravity, when asked for
    std::vector<MuscleMeasure> muscles = {};  ///< those with alpha != 1
    MuscleGrowthReport muscle_report = {};
    FatReport fat_report = {};
    BoneEditReport bone_report = {};
    double seconds = 0.0;
    bool is_converged = true;
    Eigen::Index inverted_tets = 0;
    double mass = 0.0;      ///< kg
    double body_fat = 0.0;  ///< share of the mass
    double stature = 0.0;   ///< m
    std::vector<std::string> warnings = {};
};

/// alpha of every muscle. @throws InputError  for unknown words (with the nearest known one) and
/// numbers out of range
std::vector<double> muscle_alphas(const Body& body, const std::vector<NamedValue>& words);

/// Bones, then muscles, then fat, then the preview under gravity [Saito2015, Figure 18].
/// @param callback  positions of all tets at every iteration of muscle growth
GrowthResult grow(const Body& body, const GrowthPlan& plan, const Progress& progress = {},
                  const IterationCallback& callback = {});

}  // namespace sinew
