#include "sinew/fit/composition.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Fat and muscle mass from the outer shape [Komaritzan, section 4.2.3, eqs. 4.5-4.6]: stature,
// volume at unit stature and principal components of positions on the skin at unit stature, then
// ridge regression. The ridge is chosen by errors of people left out, which need no second
// training: e_i / (1 - h_i) [Golub1979]. How far a person is from those that it was trained with is
// part of every estimate.
//
// Published formulas of girths stand beside it as witnesses: [Hodgdon1984; Siri1961] for fat,
// [Lee2000] for muscle.

namespace sinew {

namespace {

constexpr int kFewestPeople = 6;
constexpr double kLeastDeviation = 1e-9;
constexpr double kLeastVariance = 1e-4;  // of the first component's: smaller ones are noise
constexpr std::array kRidges = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};  // of squared deviations

// What a model sees of a person: size, volume at unit stature, and places of the skin likewise.
struct SeenShape {
    double stature = 1.0;  // m
    double volume = 0.0;   // of stature cubed
    Eigen::VectorXd places = {};
};

// Positions of some places of the template's skin, on a skin of the same triangulation.
class ShapeReader {
public:
    ShapeReader(const TriangleMesh& skin, const Points& places)
        : triangles_(skin.triangles), nearest_(SurfaceTree(skin).closest_points(places)) {}

    SeenShape read(const Points& skin) const {
        SeenShape seen;
        seen.stature = bounds(skin).size().y();
        seen.volume = enclosed_volume(skin, triangles_) / std::pow(seen.stature, 3);
        Eigen::VectorXd shape(3 * static_cast<Eigen::Index>(nearest_.size()));
        for (std::size_t i = 0; i < nearest_.size(); ++i) {
            Vec3 p = Vec3::Zero();
            for (int k = 0; k < 3; ++k) {
                p += nearest_[i].barycentric[k] * point(skin, triangles_(nearest_[i].triangle, k));
            }
            shape.segment<3>(3 * static_cast<Eigen::Index>(i)) = p / seen.stature;
        }
        seen.places = std::move(shape);
        return seen;
    }

private:
    Triangles triangles_;
    std::vector<ClosestPoint> nearest_;
};

Points places_on(const TriangleMesh& skin, std::span<const char> is_left_out, int count) {
    std::vector<Index> used;
    for (Eigen::Index i = 0; i < skin.points.rows(); ++i) {
        if (is_left_out.empty() || is_left_out[at(i)] == 0) {
            used.push_back(static_cast<Index>(i));
        }
    }
    Points points(static_cast<Eigen::Index>(used.size()), 3);
    for (std::size_t i = 0; i < used.size(); ++i) {
        points.row(static_cast<Eigen::Index>(i)) = skin.points.row(used[i]);
    }
    const std::vector<Index> chosen = farthest_points(points, count);
    Points places(static_cast<Eigen::Index>(chosen.size()), 3);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        places.row(static_cast<Eigen::Index>(i)) = points.row(chosen[i]);
    }
    return places;
}

// Principal components by the smaller matrix of inner products.
void find_components(const Eigen::MatrixXd& shapes, int most, CompositionModel& model) {
    const Eigen::Index n = shapes.cols();
    model.mean = shapes.rowwise().mean();
    const Eigen::MatrixXd centred = shapes.colwise() - model.mean;
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(centred.transpose() * centred));
    const Eigen::VectorXd& values = eigen.values;  // ascending
    Eigen::Index count = 0;
    while (count < std::min<Eigen::Index>(most, n - 3) &&
           values[n - 1 - count] > kLeastVariance * values[n - 1]) {
        ++count;
    }
    model.basis.resize(shapes.rows(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
        const double value = values[n - 1 - k];
        Eigen::VectorXd column = centred * eigen.vectors.col(n - 1 - k) / std::sqrt(value);
        // One of two signs: the larger entry is positive.
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        model.basis.col(k) = column[largest] < 0.0 ? Eigen::VectorXd(-column) : column;
    }
}

// f of the model's equations.
Eigen::VectorXd features_of(const CompositionModel& model, const SeenShape& seen) {
    Eigen::VectorXd f(model.basis.cols() + 1);
    f << model.basis.transpose() * (seen.places - model.mean), seen.volume;
    return f;
}

// Ridge regression of y on [f, 1], one row of F per person. Features count by their deviations.
// Errors of people left out need no second training: e_i / (1 - h_i), h the diagonal of the hat
// matrix [Golub1979].
Eigen::VectorXd regress(const Eigen::MatrixXd& F, const Eigen::VectorXd& deviation,
                        const Eigen::VectorXd& y) {
    Eigen::MatrixXd A(F.rows(), F.cols() + 1);
    A << F * deviation.cwiseInverse().asDiagonal(), Eigen::VectorXd::Ones(F.rows());
    // The volume is far from 0: centred, so that the ridge does not act on its mean.
    const double centre = A.col(F.cols() - 1).mean();
    A.col(F.cols() - 1).array() -= centre;
    Eigen::VectorXd best;
    double least = std::numeric_limits<double>::infinity();
    for (const double ridge : kRidges) {
        Eigen::MatrixXd normal = A.transpose() * A;
        for (Eigen::Index k = 0; k < F.cols(); ++k) {
            normal(k, k) += ridge * static_cast<double>(F.rows());
        }
        const Eigen::MatrixXd fitted = solve_symmetric_columns(normal, A.transpose());
        const Eigen::VectorXd x = fitted * y;
        const Eigen::MatrixXd hat = A * fitted;
        double error = 0.0;
        for (Eigen::Index i = 0; i < F.rows(); ++i) {
            error += std::pow((y[i] - A.row(i).dot(x)) / std::max(1e-9, 1.0 - hat(i, i)), 2);
        }
        if (error < least) {
            least = error;
            best = x;
        }
    }
    best[F.cols()] -= best[F.cols() - 1] * centre;
    best.head(F.cols()).array() /= deviation.array();
    return best;
}

CompositionModel train_on(const Points& places, std::span<const SeenShape> shapes,
                          std::span<const KnownPerson> people, const std::vector<Index>& which,
                          Sex sex, int components) {
    const auto n = static_cast<Eigen::Index>(which.size());
    CompositionModel model{.sex = sex, .people = static_cast<int>(n), .places = places};
    Eigen::MatrixXd some(3 * places.rows(), n);
    Eigen::VectorXd fat(n);
    Eigen::VectorXd muscle(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Index person = which[at(i)];
        const double cube = std::pow(shapes[at(person)].stature, 3);
        some.col(i) = shapes[at(person)].places;
        fat[i] = people[at(person)].fat_kg / cube;
        muscle[i] = people[at(person)].muscle_kg / cube;
    }
    find_components(some, components, model);
    Eigen::MatrixXd F(n, model.basis.cols() + 1);
    for (Eigen::Index i = 0; i < n; ++i) {
        F.row(i) = features_of(model, shapes[at(which[at(i)])]).transpose();
    }
    const Eigen::MatrixXd centred = F.rowwise() - F.colwise().mean();
    model.deviation = (centred.colwise().squaredNorm() / static_cast<double>(n - 1))
                          .cwiseSqrt()
                          .cwiseMax(kLeastDeviation);
    model.centre = F.colwise().mean();
    model.fat = regress(F, model.deviation, fat);
    model.muscle = regress(F, model.deviation, muscle);
    return model;
}

CompositionEstimate estimate(const CompositionModel& model, const SeenShape& seen) {
    const Eigen::VectorXd f = features_of(model, seen);
    const Eigen::Index k = f.size();
    const double cube = std::pow(seen.stature, 3);
    CompositionEstimate result;
    result.fat_kg = cube * (model.fat.head(k).dot(f) + model.fat[k]);
    result.muscle_kg = cube * (model.muscle.head(k).dot(f) + model.muscle[k]);
    result.strangeness = std::sqrt((f - model.centre).cwiseQuotient(model.deviation).squaredNorm() /
                                   static_cast<double>(k));
    return result;
}

std::vector<SeenShape> read_shapes(const ShapeReader& reader, Eigen::Index vertices,
                                   std::span<const KnownPerson> people) {
    if (people.size() < kFewestPeople) {
        throw InputError({.where = "people to train with",
                          .found = fmt::format("{}", people.size()),
                          .needs = fmt::format("at least {}", kFewestPeople),
                          .remedy = "add people whose fat and muscle mass are known"});
    }
    std::vector<SeenShape> shapes;
    for (std::size_t i = 0; i < people.size(); ++i) {
        const KnownPerson& person = people[i];
        if (person.skin.rows() != vertices || !person.skin.allFinite() || !(person.fat_kg > 0.0) ||
            !(person.muscle_kg > 0.0)) {
            throw InputError(
                {.where = fmt::format("person {} to train with", i),
                 .found = fmt::format("{} vertices, {} kg of fat, {} kg of muscle",
                                      person.skin.rows(), person.fat_kg, person.muscle_kg),
                 .needs = fmt::format("{} vertices and masses above 0", vertices),
                 .remedy = "register the scan to this template; check its row"});
        }
        shapes.push_back(reader.read(person.skin));
    }
    return shapes;
}

// 1 - (errors squared) / (variance), and the mean absolute error.
std::pair<double, double> quality(const std::vector<double>& truth,
                                  const std::vector<double>& found) {
    const auto n = static_cast<double>(truth.size());
    double mean = 0.0;
    for (const double t : truth) {
        mean += t / n;
    }
    double absolute = 0.0;
    double squared = 0.0;
    double variance = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        absolute += std::abs(truth[i] - found[i]) / n;
        squared += (truth[i] - found[i]) * (truth[i] - found[i]);
        variance += (truth[i] - mean) * (truth[i] - mean);
    }
    return {absolute, variance > 0.0 ? 1.0 - squared / variance : 0.0};
}

std::optional<double> find_girth(std::span<const std::pair<std::string, double>> girths,
                                 const std::string& name) {
    double sum = 0.0;
    int count = 0;
    for (const auto& [known, value] : girths) {
        if (value > 0.0 && (known == name || known == name + "_l" || known == name + "_r")) {
            sum += value;
            ++count;
        }
    }
    return count > 0 ? std::optional<double>(sum / count) : std::nullopt;
}

}  // namespace

CompositionModel train_composition(const TriangleMesh& template_skin,
                                   std::span<const char> is_left_out, Sex sex,
                                   std::span<const KnownPerson> people,
                                   const CompositionOptions& options) {
    const Points places = places_on(template_skin, is_left_out, options.places);
    const ShapeReader reader(template_skin, places);
    const std::vector<SeenShape> shapes = read_shapes(reader, template_skin.points.rows(), people);
    std::vector<Index> all(people.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<Index>(i);
    }
    return train_on(places, shapes, people, all, sex, options.components);
}

CompositionTest test_composition(const TriangleMesh& template_skin,
                                 std::span<const char> is_left_out, Sex sex,
                                 std::span<const KnownPerson> people,
                                 const CompositionOptions& options) {
    const Points places = places_on(template_skin, is_left_out, options.places);
    const ShapeReader reader(template_skin, places);
    const std::vector<SeenShape> shapes = read_shapes(reader, template_skin.points.rows(), people);
    std::vector<double> fat, fat_found, muscle, muscle_found;
    for (std::size_t left_out = 0; left_out < people.size(); ++left_out) {
        std::vector<Index> others;
        for (std::size_t i = 0; i < people.size(); ++i) {
            if (i != left_out) {
                others.push_back(static_cast<Index>(i));
            }
        }
        const CompositionEstimate e = estimate(
            train_on(places, shapes, people, others, sex, options.components), shapes[left_out]);
        fat.push_back(people[left_out].fat_kg);
        fat_found.push_back(e.fat_kg);
        muscle.push_back(people[left_out].muscle_kg);
        muscle_found.push_back(e.muscle_kg);
    }
    CompositionTest test{.people = static_cast<int>(people.size())};
    std::tie(test.fat_error_kg, test.fat_r2) = quality(fat, fat_found);
    std::tie(test.muscle_error_kg, test.muscle_r2) = quality(muscle, muscle_found);
    return test;
}

CompositionEstimate estimate_composition(const CompositionModel& model,
                                         const TriangleMesh& template_skin, const Points& skin) {
    if (skin.rows() != template_skin.points.rows()) {
        throw InputError({.where = "skin whose composition is asked for",
                          .found = fmt::format("{} vertices", skin.rows()),
                          .needs = fmt::format("{}", template_skin.points.rows()),
                          .remedy = "register the scan to this template"});
    }
    return estimate(model, ShapeReader(template_skin, model.places).read(skin));
}

double navy_body_fat(Sex sex, double stature_m, double neck_m, double waist_m, double hips_m) {
    const double height = 100.0 * stature_m;
    const bool is_woman = sex == Sex::Female;
    const double girth = 100.0 * (is_woman ? waist_m + hips_m - neck_m : waist_m - neck_m);
    if (!(girth > 0.0)) {
        return 0.02;
    }
    const double density =
        is_woman ? 1.29579 - 0.35004 * std::log10(girth) + 0.22100 * std::log10(height)
                 : 1.0324 - 0.19077 * std::log10(girth) + 0.15456 * std::log10(height);
    return std::clamp(4.95 / density - 4.5, 0.02, 0.7);
}

double lee_muscle_mass(Sex sex, double stature_m, double age, double arm_m, double thigh_m,
                       double calf_m) {
    const double arm = 100.0 * arm_m;
    const double thigh = 100.0 * thigh_m;
    const double calf = 100.0 * calf_m;
    return stature_m * (0.00744 * arm * arm + 0.00088 * thigh * thigh + 0.00441 * calf * calf) +
           (sex == Sex::Female ? 0.0 : 2.4) - 0.048 * age + 7.8;
}

CompositionWitnesses composition_witnesses(Sex sex, double stature_m,
                                           std::span<const std::pair<std::string, double>> girths,
                                           std::optional<double> limb_fat_m, double age) {
    CompositionWitnesses witnesses;
    const auto neck = find_girth(girths, "neck");
    // The formula's waist: of men level with the navel, of women the narrowest.
    const auto at_navel = find_girth(girths, "waist_navel");
    const auto waist = sex == Sex::Female || !at_navel ? find_girth(girths, "waist") : at_navel;
    const auto hips = find_girth(girths, "hips");
    if (neck && waist && (hips || sex != Sex::Female)) {
        witnesses.navy_body_fat = navy_body_fat(sex, stature_m, *neck, *waist, hips.value_or(0.0));
    }
    const auto arm = find_girth(girths, "upper_arm");
    const auto thigh = find_girth(girths, "thigh");
    const auto calf = find_girth(girths, "calf");
    if (limb_fat_m && arm && thigh && calf) {
        const double less = 2.0 * kPi * *limb_fat_m;
        witnesses.lee_muscle_kg =
            lee_muscle_mass(sex, stature_m, age, *arm - less, *thigh - less, *calf - less);
    }
    return witnesses;
}

}  // namespace sinew
