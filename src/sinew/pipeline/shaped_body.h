#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/body/people_table.h"
#include "sinew/body/shape_space.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Whom `sinew build --shape` makes: the specimen that the built-in figure was measured on, or
/// somebody of the shape space (data/shape).
struct ShapeChoice {
    bool is_specimen = true;
    /// Components by number, from 0, and their deviations from the mean person.
    std::vector<std::pair<std::size_t, double>> deviations = {};
};

/// Components may deviate by this much.
inline constexpr double kMostDeviation = 4.0;  // standard deviations

/// "specimen", "mean", or components from 1 on: "1=2,3=-0.5". @throws InputError
ShapeChoice shape_choice(const std::string& text);

/// Deviations with which the shape space has the mean measures of real people: girths of neck,
/// chest, waist, hips and calves and the weight of the table, each within its standard deviation,
/// and the stature by scaling; the most probable of all such shapes.
/// @param body  whose skeleton the girths are measured by; the body that the space belongs to
Eigen::VectorXd mean_person(const Body& body, const ShapeSpace& shapes, const PeopleTable& table);

/// A body of another shape: the anatomy fitted into it [Komaritzan, section 4.2.4] with the body
/// fat that its girths tell [Hodgdon1984].
/// @param specimen  the built-in body of either sex
/// @param stature   m; 0: the mean of real people
/// @param cache     of the specimen's layers, empty: none
/// @throws InputError  for a component that there is not; Cancelled
Body shaped_body(const Body& specimen, const ShapeChoice& shape, double stature,
                 const std::filesystem::path& cache = {}, const Progress& progress = {});

}  // namespace sinew
