#include "sinew/fit/composition.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/geometry/surface_tree.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sinew {

namespace {

constexpr int kFewestPeople = 5;
constexpr double kLeastVariance = 1e-4;  // of the first component's: smaller ones are noise
constexpr double kRidge = 1e-6;          // of the squared deviations

// Positions of some places of the template's skin, on a skin of the same triangulation.
class ShapeReader {
public:
    ShapeReader(const TriangleMesh& skin, const Points& places)
        : triangles_(skin.triangles), nearest_(SurfaceTree(skin).closest_points(places)) {}

    Eigen::VectorXd read(const Points& skin) const {
        Eigen::VectorXd shape(3 * static_cast<Eigen::Index>(nearest_.size()));
        for (std::size_t i = 0; i < nearest_.size(); ++i) {
            Vec3 p = Vec3::Zero();
            for (int k = 0; k < 3; ++k) {
                p += nearest_[i].barycentric[k] * point(skin, triangles_(nearest_[i].triangle, k));
            }
            shape.segment<3>(3 * static_cast<Eigen::Index>(i)) = p;
        }
        return shape;
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
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(centred.transpose() * centred);
    const Eigen::VectorXd& values = eigen.eigenvalues();  // ascending
    Eigen::Index count = 0;
    while (count < std::min<Eigen::Index>(most, n - 2) &&
           values[n - 1 - count] > kLeastVariance * values[n - 1]) {
        ++count;
    }
    model.basis.resize(shapes.rows(), count);
    model.deviation.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        const double value = values[n - 1 - k];
        Eigen::VectorXd column = centred * eigen.eigenvectors().col(n - 1 - k) / std::sqrt(value);
        // One of two signs: the larger entry is positive.
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        model.basis.col(k) = column[largest] < 0.0 ? Eigen::VectorXd(-column) : column;
        model.deviation[k] = std::sqrt(value / static_cast<double>(n - 1));
    }
}

// Least squares of y on [c, 1], with a ridge that only matters where components are many.
Eigen::VectorXd regress(const Eigen::MatrixXd& c, const Eigen::VectorXd& y) {
    Eigen::MatrixXd A(c.rows(), c.cols() + 1);
    A << c, Eigen::VectorXd::Ones(c.rows());
    Eigen::MatrixXd normal = A.transpose() * A;
    for (Eigen::Index k = 0; k < c.cols(); ++k) {
        normal(k, k) *= 1.0 + kRidge;
    }
    return normal.ldlt().solve(A.transpose() * y);
}

CompositionModel train_on(const Points& places, const Eigen::MatrixXd& shapes,
                          std::span<const KnownPerson> people, const std::vector<Index>& which,
                          Sex sex, int components) {
    const auto n = static_cast<Eigen::Index>(which.size());
    CompositionModel model{.sex = sex, .places = places};
    Eigen::MatrixXd some(shapes.rows(), n);
    Eigen::VectorXd fat(n);
    Eigen::VectorXd muscle(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        some.col(i) = shapes.col(which[at(i)]);
        fat[i] = people[at(which[at(i)])].fat_kg;
        muscle[i] = people[at(which[at(i)])].muscle_kg;
    }
    model.people = static_cast<int>(n);
    find_components(some, components, model);
    const Eigen::MatrixXd c = (some.colwise() - model.mean).transpose() * model.basis;
    model.fat = regress(c, fat);
    model.muscle = regress(c, muscle);
    return model;
}

CompositionEstimate estimate(const CompositionModel& model, const Eigen::VectorXd& shape) {
    const Eigen::VectorXd c = model.basis.transpose() * (shape - model.mean);
    const Eigen::Index k = c.size();
    CompositionEstimate result;
    result.fat_kg = model.fat.head(k).dot(c) + model.fat[k];
    result.muscle_kg = model.muscle.head(k).dot(c) + model.muscle[k];
    result.strangeness =
        k > 0 ? std::sqrt(c.cwiseQuotient(model.deviation).squaredNorm() / static_cast<double>(k))
              : 0.0;
    return result;
}

Eigen::MatrixXd read_shapes(const ShapeReader& reader, Eigen::Index vertices,
                            std::span<const KnownPerson> people) {
    if (people.size() < kFewestPeople) {
        throw InputError({.where = "people to train with",
                          .found = fmt::format("{}", people.size()),
                          .needs = fmt::format("at least {}", kFewestPeople),
                          .remedy = "add people whose fat and muscle mass are known"});
    }
    Eigen::MatrixXd shapes;
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
        const Eigen::VectorXd shape = reader.read(person.skin);
        if (shapes.size() == 0) {
            shapes.resize(shape.size(), static_cast<Eigen::Index>(people.size()));
        }
        shapes.col(static_cast<Eigen::Index>(i)) = shape;
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
    const Eigen::MatrixXd shapes = read_shapes(reader, template_skin.points.rows(), people);
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
    const Eigen::MatrixXd shapes = read_shapes(reader, template_skin.points.rows(), people);
    const auto shape_of = [&](std::size_t i) {
        return people[i].shape >= 0 ? people[i].shape : -1 - static_cast<Index>(i);
    };
    std::set<Index> numbers;
    for (std::size_t i = 0; i < people.size(); ++i) {
        numbers.insert(shape_of(i));
    }
    std::vector<double> fat, fat_found, muscle, muscle_found;
    for (const Index left_out : numbers) {
        std::vector<Index> others;
        for (std::size_t i = 0; i < people.size(); ++i) {
            if (shape_of(i) != left_out) {
                others.push_back(static_cast<Index>(i));
            }
        }
        const CompositionModel model =
            train_on(places, shapes, people, others, sex, options.components);
        for (std::size_t i = 0; i < people.size(); ++i) {
            if (shape_of(i) == left_out) {
                const CompositionEstimate e =
                    estimate(model, shapes.col(static_cast<Eigen::Index>(i)));
                fat.push_back(people[i].fat_kg);
                fat_found.push_back(e.fat_kg);
                muscle.push_back(people[i].muscle_kg);
                muscle_found.push_back(e.muscle_kg);
            }
        }
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
    const auto waist = find_girth(girths, "waist");
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
