#include "sinew/pipeline/shaped_body.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/girths.h"
#include "sinew/build/segment_masses.h"
#include "sinew/fit/composition.h"
#include "sinew/fit/person_fit.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/people_files.h"
#include "sinew/io/shape_space_file.h"
#include "sinew/linalg/dense.h"
#include "sinew/pipeline/layers_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

// Somebody of the shape space in place of the specimen: deviations of components, or the mean of
// real people, found by Gauss and Newton's method on girths and weight against the survey's means,
// with the components' own probability.

namespace sinew {

namespace {

constexpr double kWater = 1000.0;  // kg/m^3, about the density of people
constexpr int kIterations = 6;
constexpr double kDifference = 0.05;  // standard deviations

// Girths as girths() names them, and the survey's for the same tape.
struct SameMeasure {
    const char* girth;
    const char* survey;
};
constexpr std::array kSameMeasures = {
    SameMeasure{"neck", "neckcircumference"}, SameMeasure{"chest", "chestcircumference"},
    SameMeasure{"waist", "waistcircumference"}, SameMeasure{"hips", "buttockcircumference"},
    SameMeasure{"calf_l", "calfcircumference"}};

// Displacement of the reference skin, or of the joints, at some deviations.
Points displacement_at(const Points& mean, const std::vector<ShapeSpace::Component>& components,
                       Points ShapeSpace::Component::*part, const Eigen::VectorXd& deviations) {
    Points sum = mean;
    for (Eigen::Index k = 0; k < deviations.size(); ++k) {
        sum += deviations[k] * (components[at(k)].*part);
    }
    return sum;
}

// Somebody of the space, as skin and joints only, with the stature asked for.
Body outline(const Body& body, const ShapeSpace& shapes, const Eigen::VectorXd& deviations,
             double stature) {
    Body person;
    person.sex = body.sex;
    person.skeleton = body.skeleton;
    person.skin.mesh = shapes.reference;
    person.skin.mesh.points += displacement_at(shapes.mean_skin, shapes.components,
                                               &ShapeSpace::Component::skin, deviations);
    const Points joints = displacement_at(shapes.mean_joints, shapes.components,
                                          &ShapeSpace::Component::joints, deviations);
    const double ratio = stature / bounds(person.skin.mesh.points).size().y();
    person.skin.mesh.points *= ratio;
    for (Joint& joint : person.skeleton.joints) {
        const auto it = std::find(shapes.joint_names.begin(), shapes.joint_names.end(), joint.name);
        if (it != shapes.joint_names.end()) {
            joint.centre += point(joints, it - shapes.joint_names.begin());
        }
        joint.centre *= ratio;
    }
    return person;
}

double girth_named(const std::vector<std::pair<std::string, double>>& girths, const char* name) {
    for (const auto& [known, value] : girths) {
        if (known == name) {
            return value;
        }
    }
    return 0.0;
}

// Measures of somebody against the table's means, in its standard deviations; the last is weight.
Eigen::VectorXd misfits(const Body& person, const PeopleTable& table,
                        const PeopleTable::Group& people) {
    const auto of = [&](const char* name, double value) {
        const auto i = static_cast<Eigen::Index>(find_measure(table, name, "people"));
        return (value - people.mean[i]) / std::sqrt(people.covariance(i, i));
    };
    const auto tapes = girths(person);
    Eigen::VectorXd r(static_cast<Eigen::Index>(kSameMeasures.size()) + 1);
    for (std::size_t k = 0; k < kSameMeasures.size(); ++k) {
        r[static_cast<Eigen::Index>(k)] =
            of(kSameMeasures[k].survey, girth_named(tapes, kSameMeasures[k].girth));
    }
    r[r.size() - 1] = of("weight", kWater * enclosed_volume(person.skin.mesh));
    return r;
}

double mean_stature(const PeopleTable& table, const PeopleTable::Group& people) {
    return people.mean[static_cast<Eigen::Index>(find_measure(table, "stature", "people"))];
}

InputError bad_shape(const std::string& found) {
    return InputError({.where = "--shape",
                       .found = fmt::format("'{}'", found),
                       .needs = fmt::format("'specimen', 'mean', or components and deviations from "
                                            "-{0:.0f} to {0:.0f}, as 1=2,3=-0.5",
                                            kMostDeviation),
                       .remedy = "see sinew build --help"});
}

}  // namespace

ShapeChoice shape_choice(const std::string& text) {
    ShapeChoice shape;
    shape.is_specimen = text == "specimen" || text.empty();
    if (shape.is_specimen || text == "mean") {
        return shape;
    }
    for (const std::string& word : split(text, ',')) {
        const std::vector<std::string> parts = split(word, '=');
        std::size_t number = 0;
        double value = 0.0;
        if (parts.size() != 2) {
            throw bad_shape(text);
        }
        const char* name_end = parts[0].data() + parts[0].size();
        const char* value_end = parts[1].data() + parts[1].size();
        const auto name = std::from_chars(parts[0].data(), name_end, number);
        const auto deviation = std::from_chars(parts[1].data(), value_end, value);
        if (name.ec != std::errc() || name.ptr != name_end || number < 1 ||
            deviation.ec != std::errc() || deviation.ptr != value_end ||
            !(std::abs(value) <= kMostDeviation)) {
            throw bad_shape(text);
        }
        shape.deviations.emplace_back(number - 1, value);
    }
    return shape;
}

Eigen::VectorXd mean_person(const Body& body, const ShapeSpace& shapes, const PeopleTable& table) {
    const PeopleTable::Group& people = group_of(table, body.sex);
    const double stature = mean_stature(table, people);
    const auto count = static_cast<Eigen::Index>(shapes.components.size());
    const auto misfit_at = [&](const Eigen::VectorXd& c) {
        return misfits(outline(body, shapes, c, stature), table, people);
    };
    // Gauss-Newton on |misfits|^2 + |c|^2: components are standard deviations, so that their own
    // probability counts as much.
    Eigen::VectorXd c = Eigen::VectorXd::Zero(count);
    for (int i = 0; i < kIterations; ++i) {
        const Eigen::VectorXd r = misfit_at(c);
        Eigen::MatrixXd J(r.size(), count);
        for (Eigen::Index k = 0; k < count; ++k) {
            Eigen::VectorXd moved = c;
            moved[k] += kDifference;
            J.col(k) = (misfit_at(moved) - r) / kDifference;
        }
        const Eigen::MatrixXd H = J.transpose() * J + Eigen::MatrixXd::Identity(count, count);
        c -= solve_symmetric(H, J.transpose() * r + c);
    }
    return c;
}

Body shaped_body(const Body& specimen, const ShapeChoice& shape, double stature,
                 const std::filesystem::path& cache, const Progress& progress) {
    if (shape.is_specimen) {
        return specimen;
    }
    const ShapeSpace shapes = built_in_shape_space(specimen.sex);
    const PeopleTable table = known_people();
    Eigen::VectorXd deviations = mean_person(specimen, shapes, table);
    for (const auto& [component, value] : shape.deviations) {
        if (component >= shapes.components.size()) {
            throw InputError(
                {.where = "--shape",
                 .found = fmt::format("component {}", component + 1),
                 .needs = fmt::format("one of 1 to {}", shapes.components.size()),
                 .remedy = "the first ones count most: they are ordered by what people vary in"});
        }
        deviations[static_cast<Eigen::Index>(component)] += value;
    }
    const double height =
        stature > 0.0 ? stature : mean_stature(table, group_of(table, specimen.sex));
    const Body person = outline(specimen, shapes, deviations, height);
    const Points displacement = displacement_at(shapes.mean_skin, shapes.components,
                                                &ShapeSpace::Component::skin, deviations);
    Points skin =
        specimen.skin.mesh.points + carried_to(shapes, displacement, specimen.skin.mesh.points);
    skin *= height / bounds(skin).size().y();
    CompositionTargets targets;
    targets.weight_kg = kWater * enclosed_volume(skin, specimen.skin.mesh.triangles);
    targets.body_fat =
        composition_witnesses(specimen.sex, height, girths(person), {}).navy_body_fat;
    FittedPerson fitted =
        fit_person(specimen, cached_layers(specimen, cache, progress), skin, targets, {}, progress);
    fitted.body.skeleton.segments = weigh_segments(fitted.body);
    fitted.body.provenance.notes.push_back(shapes.source);
    fitted.body.provenance.notes.push_back(table.source);
    for (const std::string& warning : fitted.report.warnings) {
        progress.warn(warning);
    }
    return std::move(fitted.body);
}

}  // namespace sinew
