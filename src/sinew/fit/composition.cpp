#include "sinew/fit/composition.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Fat and muscle mass from the outer shape [Komaritzan, section 4.2.3, eqs. 4.5-4.6]: areas inside
// tapes at unit stature, their principal components, then ridge regression. The ridge is chosen by
// errors of people left out, which need no second training: e_i / (1 - h_i) [Golub1979]. How far a
// person is from those that it was trained with is part of every estimate.
//
// Published formulas of girths stand beside it as witnesses: [Hodgdon1984; Siri1961] for fat,
// [Lee2000] for muscle.

namespace sinew {

namespace {

constexpr int kFewestPeople = 6;
constexpr double kLeastDeviation = 1e-9;
constexpr double kLeastVariance = 1e-4;  // of the first component's: smaller ones are noise
constexpr std::array kRidges = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};  // of squared deviations
constexpr Eigen::Index kTapePlaces = 32;
constexpr int kTrunkTapes = 10;
constexpr double kTrunkLow = -0.03;  // of the way from the hips to the lowest joint of the neck
constexpr double kTrunkHigh = 0.78;  // at the armpits
constexpr double kTapedNeck = 0.45;  // from its lowest joint to its highest

// What a model sees of a person.
struct SeenShape {
    double stature = 1.0;        // m
    Eigen::VectorXd areas = {};  // of stature squared
};

// Areas inside tapes of the template, on a skin of the same triangulation.
class ShapeReader {
public:
    ShapeReader(const TriangleMesh& skin, const std::vector<CompositionTape>& tapes)
        : triangles_(skin.triangles) {
        const SurfaceTree tree(skin);
        for (const CompositionTape& tape : tapes) {
            loops_.push_back({tape.feature, tree.closest_points(tape.places)});
            features_ = std::max(features_, tape.feature + 1);
        }
    }

    SeenShape read(const Points& skin) const {
        SeenShape seen{.stature = bounds(skin).size().y(),
                       .areas = Eigen::VectorXd::Zero(features_)};
        Eigen::VectorXd count = Eigen::VectorXd::Zero(features_);
        for (const Loop& loop : loops_) {
            seen.areas[loop.feature] += area_inside(loop, skin) / std::pow(seen.stature, 2);
            count[loop.feature] += 1.0;
        }
        seen.areas.array() /= count.array().max(1.0);
        return seen;
    }

    int features() const {
        return features_;
    }

private:
    struct Loop {
        int feature = 0;
        std::vector<ClosestPoint> places = {};
    };

    // |sum_i p_i x p_(i+1)| / 2
    double area_inside(const Loop& loop, const Points& skin) const {
        std::vector<Vec3> p;
        for (const ClosestPoint& c : loop.places) {
            Vec3& at_place = p.emplace_back(Vec3::Zero());
            for (int k = 0; k < 3; ++k) {
                at_place += c.barycentric[k] * point(skin, triangles_(c.triangle, k));
            }
        }
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < p.size(); ++i) {
            sum += (p[i] - p[0]).cross(p[(i + 1) % p.size()] - p[0]);
        }
        return 0.5 * sum.norm();
    }

    Triangles triangles_;
    std::vector<Loop> loops_;
    int features_ = 0;
};

// Places at equal steps along a closed loop.
Points spread_along(const std::vector<Vec3>& loop) {
    std::vector<double> along = {0.0};
    for (std::size_t i = 0; i < loop.size(); ++i) {
        along.push_back(along.back() + (loop[(i + 1) % loop.size()] - loop[i]).norm());
    }
    Points places(kTapePlaces, 3);
    std::size_t edge = 0;
    for (Eigen::Index k = 0; k < kTapePlaces; ++k) {
        const double wanted =
            along.back() * static_cast<double>(k) / static_cast<double>(kTapePlaces);
        while (edge + 1 < loop.size() && along[edge + 1] < wanted) {
            ++edge;
        }
        const double length = along[edge + 1] - along[edge];
        const double t = length > 0.0 ? (wanted - along[edge]) / length : 0.0;
        places.row(k) = ((1.0 - t) * loop[edge] + t * loop[(edge + 1) % loop.size()]).transpose();
    }
    return places;
}

std::optional<Vec3> centre_of(const Skeleton& skeleton, const std::string& name) {
    for (const Joint& joint : skeleton.joints) {
        if (joint.name == name) {
            return joint.centre;
        }
    }
    return {};
}

// Limbs and the parts of the way between their joints where tapes are laid.
struct TapedLimb {
    const char* from;
    const char* to;
    std::vector<double> parts;
};

const std::vector<TapedLimb>& taped_limbs() {
    static const std::vector<TapedLimb> kLimbs = {{"hip", "knee", {0.3, 0.5, 0.7, 0.9}},
                                                  {"knee", "ankle", {0.1, 0.3, 0.5, 0.8}},
                                                  {"shoulder", "elbow", {0.5, 0.7}},
                                                  {"elbow", "wrist", {0.25, 0.6}}};
    return kLimbs;
}

// Tapes by feature; a feature whose planes miss the skin is not counted.
class TapeRoll {
public:
    explicit TapeRoll(const TriangleMesh& skin) : skin_(skin) {}

    void add(const Vec3& centre, const Vec3& normal) {
        const std::vector<Vec3> loop = loop_around(skin_.points, skin_.triangles, centre, normal);
        if (loop.size() >= 3) {
            tapes_.push_back({.feature = feature_, .places = spread_along(loop)});
        }
    }
    void next() {
        feature_ += !tapes_.empty() && tapes_.back().feature == feature_ ? 1 : 0;
    }
    const std::vector<CompositionTape>& tapes() const {
        return tapes_;
    }

private:
    const TriangleMesh& skin_;
    std::vector<CompositionTape> tapes_;
    int feature_ = 0;
};

// Principal components of standardised areas, one row of A per person.
void find_components(const Eigen::MatrixXd& A, int most, CompositionModel& model) {
    const Eigen::Index n = A.rows();
    model.mean = A.colwise().mean();
    const Eigen::MatrixXd centred = A.rowwise() - model.mean.transpose();
    model.spread = (centred.colwise().squaredNorm() / static_cast<double>(n - 1))
                       .cwiseSqrt()
                       .cwiseMax(kLeastDeviation);
    const Eigen::MatrixXd Z = centred * model.spread.cwiseInverse().asDiagonal();
    const SymmetricEigen eigen =
        symmetric_eigen(Eigen::MatrixXd(Z.transpose() * Z / static_cast<double>(n - 1)));
    const Eigen::VectorXd& values = eigen.values;  // ascending
    const Eigen::Index F = values.size();
    Eigen::Index count = 0;
    while (count < std::min<Eigen::Index>({most, F, n - 3}) &&
           values[F - 1 - count] > kLeastVariance * values[F - 1]) {
        ++count;
    }
    model.basis.resize(F, count);
    model.deviation.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        const Eigen::VectorXd column = eigen.vectors.col(F - 1 - k);
        // One of two signs: the larger entry is positive.
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        model.basis.col(k) = column[largest] < 0.0 ? Eigen::VectorXd(-column) : column;
        model.deviation[k] = std::max(kLeastDeviation, std::sqrt(values[F - 1 - k]));
    }
}

// f of the model's equations.
Eigen::VectorXd features_of(const CompositionModel& model, const SeenShape& seen) {
    return model.basis.transpose() * (seen.areas - model.mean).cwiseQuotient(model.spread);
}

// Ridge regression of y on [f, 1], one row of F per person. Features count by their deviations.
// Errors of people left out need no second training: e_i / (1 - h_i), h the diagonal of the hat
// matrix [Golub1979].
Eigen::VectorXd regress(const Eigen::MatrixXd& F, const Eigen::VectorXd& deviation,
                        const Eigen::VectorXd& y) {
    Eigen::MatrixXd A(F.rows(), F.cols() + 1);
    A << F * deviation.cwiseInverse().asDiagonal(), Eigen::VectorXd::Ones(F.rows());
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
    best.head(F.cols()).array() /= deviation.array();
    return best;
}

CompositionModel train_on(std::span<const SeenShape> shapes, std::span<const KnownPerson> people,
                          const std::vector<Index>& which, Sex sex, int components) {
    const auto n = static_cast<Eigen::Index>(which.size());
    CompositionModel model{.sex = sex, .people = static_cast<int>(n)};
    Eigen::MatrixXd A(n, shapes[0].areas.size());
    Eigen::VectorXd fat(n);
    Eigen::VectorXd muscle(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const std::size_t person = at(which[at(i)]);
        const double cube = std::pow(shapes[person].stature, 3);
        A.row(i) = shapes[person].areas.transpose();
        fat[i] = people[person].fat_kg / cube;
        muscle[i] = people[person].muscle_kg / cube;
    }
    find_components(A, components, model);
    Eigen::MatrixXd F(n, model.basis.cols());
    for (Eigen::Index i = 0; i < n; ++i) {
        F.row(i) = features_of(model, shapes[at(which[at(i)])]).transpose();
    }
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
    result.strangeness = std::sqrt(f.cwiseQuotient(model.deviation).squaredNorm() /
                                   static_cast<double>(std::max<Eigen::Index>(1, k)));
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
    if (reader.features() == 0) {
        throw InputError({.where = "template whose people are to be trained with",
                          .found = "no closed section of its skin",
                          .needs = "tapes round its trunk and limbs",
                          .remedy = "use a body made by 'sinew build'"});
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

std::vector<CompositionTape> composition_tapes(const Body& template_body) {
    const Skeleton& skeleton = template_body.skeleton;
    TapeRoll roll(template_body.skin.mesh);
    const auto hip_l = centre_of(skeleton, "hip_l");
    const auto hip_r = centre_of(skeleton, "hip_r");
    const auto neck = centre_of(skeleton, "neck_c7_t1");
    const auto head = centre_of(skeleton, "neck_atlanto_occipital");
    if (!hip_l || !hip_r || !neck || !head) {
        const Bounds box = bounds(template_body.skin.mesh.points);
        for (int k = 0; k < kTrunkTapes; ++k) {
            Vec3 centre = box.centre();
            centre.y() = box.low.y() + box.size().y() * (k + 0.5) / kTrunkTapes;
            roll.add(centre, Vec3::UnitY());
            roll.next();
        }
        return roll.tapes();
    }
    const Vec3 hips = 0.5 * (*hip_l + *hip_r);
    for (int k = 0; k < kTrunkTapes; ++k) {
        const double part =
            kTrunkLow + (kTrunkHigh - kTrunkLow) * k / static_cast<double>(kTrunkTapes - 1);
        roll.add(hips + part * (*neck - hips), Vec3::UnitY());
        roll.next();
    }
    roll.add(*neck + kTapedNeck * (*head - *neck), *head - *neck);
    roll.next();
    for (const TapedLimb& limb : taped_limbs()) {
        for (const double part : limb.parts) {
            for (const std::string side : {"_l", "_r"}) {
                const auto a = centre_of(skeleton, limb.from + side);
                const auto b = centre_of(skeleton, limb.to + side);
                if (a && b) {
                    roll.add(*a + part * (*b - *a), *b - *a);
                }
            }
            roll.next();
        }
    }
    return roll.tapes();
}

CompositionModel train_composition(const TriangleMesh& template_skin,
                                   const std::vector<CompositionTape>& tapes, Sex sex,
                                   std::span<const KnownPerson> people,
                                   const CompositionOptions& options) {
    const std::vector<SeenShape> shapes =
        read_shapes(ShapeReader(template_skin, tapes), template_skin.points.rows(), people);
    std::vector<Index> all(people.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<Index>(i);
    }
    CompositionModel model = train_on(shapes, people, all, sex, options.components);
    model.tapes = tapes;
    return model;
}

CompositionTest test_composition(const TriangleMesh& template_skin,
                                 const std::vector<CompositionTape>& tapes, Sex sex,
                                 std::span<const KnownPerson> people,
                                 const CompositionOptions& options) {
    const std::vector<SeenShape> shapes =
        read_shapes(ShapeReader(template_skin, tapes), template_skin.points.rows(), people);
    std::vector<double> fat, fat_found, muscle, muscle_found;
    for (std::size_t left_out = 0; left_out < people.size(); ++left_out) {
        std::vector<Index> others;
        for (std::size_t i = 0; i < people.size(); ++i) {
            if (i != left_out) {
                others.push_back(static_cast<Index>(i));
            }
        }
        const CompositionEstimate e =
            estimate(train_on(shapes, people, others, sex, options.components), shapes[left_out]);
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
    return estimate(model, ShapeReader(template_skin, model.tapes).read(skin));
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
