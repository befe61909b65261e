#include "sinew/motion/model_doctor.h"

#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/known_muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

// The examination in a fixed order. Each examiner adds findings with what was found, what is
// expected and from which source. At the end, findings that left and right share become remarks:
// what is the same on both sides was made so.

namespace sinew {

Vec3 ModelExam::world(const PathPoint& point, const ModelPlacement& place) const {
    Vec3 p = Vec3::Zero();
    for (const PathPoint::Anchor& a : point.anchors) {
        p += a.weight * (a.body < 0 ? a.position : place.bodies[at(a.body)] * a.position);
    }
    return p;
}

std::vector<double> ModelExam::slopes(std::span<const double> q, std::size_t coordinate) const {
    const ModelPlacement place = tree.place(q);
    const PathState lengths = paths.evaluate(place);
    std::vector<double> dense(model.coordinates.size());
    std::vector<double> out(model.muscles.size());
    for (std::size_t m = 0; m < out.size(); ++m) {
        paths.scatter(lengths, m, dense);
        tree.fold_couplers(place, dense);
        out[m] = dense[coordinate];
    }
    return out;
}

std::string point_text(const MusculoskeletalModel& model, const MuscleUnit& unit, std::size_t k) {
    const PathPoint& point = unit.points[k];
    const Index body = point.anchors[0].body;
    return fmt::format(
        "point {} ('{}') on {}", k + 1, point.name,
        body < 0 ? "the ground" : fmt::format("body '{}'", model.bodies[at(body)].name));
}

namespace {

// Where a model says the same of left and right, it is not a slip but how the model was made: what
// is unusual rather than impossible is then a remark.
void soften_even_findings(std::vector<ModelFinding>& findings) {
    constexpr std::string_view kUnusual[] = {"Gray1918", "Arnold2010, Holzbaur2005",
                                             "muscles go on from bone to bone",
                                             "muscles end on bones"};
    const auto is_unusual = [&](const ModelFinding& f) {
        return f.is_error &&
               std::any_of(std::begin(kUnusual), std::end(kUnusual),
                           [&](std::string_view s) { return f.source.starts_with(s); });
    };
    std::vector<bool> is_even(findings.size(), false);
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const ModelFinding& f = findings[i];
        for (const std::string& other : names_of_other_side(f.where)) {
            is_even[i] = is_even[i] ||
                         std::any_of(findings.begin(), findings.end(), [&](const ModelFinding& g) {
                             return is_unusual(f) && is_unusual(g) && g.where == other &&
                                    g.source == f.source;
                         });
        }
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].is_error = findings[i].is_error && !is_even[i];
    }
}

}  // namespace

std::vector<ModelFinding> examine_model(const MusculoskeletalModel& model,
                                        std::span<const TriangleMesh> shapes) {
    ModelExam exam(model, shapes);
    examine_bodies(exam);
    examine_coordinates(exam);
    examine_muscles(exam);
    examine_arms(exam);
    examine_ranges(exam);
    examine_sides(exam);
    examine_known(exam);
    soften_even_findings(exam.findings);
    return std::move(exam.findings);
}

}  // namespace sinew
