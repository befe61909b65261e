#include "sinew/growth/ageing.h"

#include "sinew/base/units.h"
#include "sinew/body/rest_shape.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/growth/person_shape.h"
#include "sinew/meshing/inversions.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

// What years do to a body: a rounder back, less muscle, fat elsewhere and looser, and before 18
// years shorter trunks. Each effect is one function of the age, with its source beside its numbers;
// those that are authored say so in the header. They are independent of each other, as the sources
// measured them one by one.
//
// The spine is bent before anything else, as a rigid motion per segment and a linear blend in the
// flesh between them. With 25 degrees at most over all thoracic joints, neighbouring segments
// differ too little for a linear blend to show.

namespace sinew {

namespace {

constexpr double kGrownUp = 40.0;  // years, until when little changes
constexpr double kAdult = 18.0;    // years

double years_past(double age) {
    return std::max(0.0, age - kGrownUp);
}

// Volume left after losses a year, given for the decades from 40 to 80 and on.
// Sources give changes over six years by decade of life; years are applied one decade after the
// other, compounding. The last decade's rate holds for thirty years more.
double volume_left(double age, const std::array<double, 4>& six_years, double factor) {
    double left = 1.0;
    for (std::size_t decade = 0; decade < six_years.size(); ++decade) {
        const double from = kGrownUp + 10.0 * static_cast<double>(decade);
        const bool is_last = decade + 1 == six_years.size();
        const double years = std::clamp(age - from, 0.0, is_last ? 30.0 : 10.0);
        left *= std::pow(1.0 + factor * six_years[decade], years / 6.0);
    }
    return std::min(1.0, left);
}

/// A rigid motion x -> to + R_x(angle) (x - from).
struct Bending {
    Vec3 from = Vec3::Zero();
    Vec3 to = Vec3::Zero();
    double angle = 0.0;

    Mat3 rotation() const {
        return Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    }
    Vec3 operator()(const Vec3& x) const {
        return to + rotation() * (x - from);
    }
};

bool is_thoracic(const std::string& name) {
    return name.starts_with("thoracic_t");
}
bool is_neck(const std::string& name) {
    return name.starts_with("neck_");
}

/// Motions of all segments, and the joints where they come to.
struct BentSpine {
    std::vector<Bending> segments;
    std::vector<Vec3> joints;
};

// The thoracic joints share the angle evenly. The neck takes it back, so that the head looks ahead;
// shoulders start from zero rotation, so that the arms hang as before.
BentSpine bent_spine(const Skeleton& skeleton, double angle, double thoracic, double neck) {
    BentSpine bent{.segments = std::vector<Bending>(skeleton.segments.size()), .joints = {}};
    // Joints come parents first.
    for (const Joint& joint : skeleton.joints) {
        const Bending above = joint.parent >= 0 ? bent.segments[at(joint.parent)] : Bending{};
        const Vec3 centre = above(joint.centre);
        double turned = above.angle;
        if (is_thoracic(joint.name)) {
            turned += angle / thoracic;
        } else if (is_neck(joint.name)) {
            turned -= angle / neck;
        } else if (joint.name.starts_with("shoulder_")) {
            turned = 0.0;
        }
        bent.segments[at(joint.child)] = {.from = joint.centre, .to = centre, .angle = turned};
        bent.joints.push_back(centre);
    }
    return bent;
}

// Flesh: x = sum of weights times motions, weights harmonic between the bones of the segments.
// Segments with the same rigid motion share one column of weights: fewer right-hand sides and no
// blend between what moves alike. Weights are harmonic in the tetrahedra, 1 at samples of the
// segment's bones and 0 at all others, and are normalised because samples hold by springs.
Points bent_flesh(const Body& body, const BentSpine& bent) {
    std::vector<std::size_t> column(body.skeleton.segments.size(), 0);
    std::vector<Bending> motions = {Bending{}};
    for (std::size_t s = 0; s < column.size(); ++s) {
        const Bending& motion = bent.segments[s];
        const bool is_still = motion.angle == 0.0 && (motion.to - motion.from).norm() < 1e-12;
        // What hangs on a segment without a bend of its own moves with it.
        const auto same = std::find_if(motions.begin(), motions.end(), [&](const Bending& known) {
            return known.angle == motion.angle && (known(motion.from) - motion.to).norm() < 1e-12;
        });
        column[s] = is_still ? 0 : at(same - motions.begin());
        if (!is_still && same == motions.end()) {
            motions.push_back(motion);
        }
    }
    Eigen::MatrixXd at_bones =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(body.attachments.bone.size()),
                              static_cast<Eigen::Index>(motions.size()));
    for (std::size_t k = 0; k < body.attachments.bone.size(); ++k) {
        const Bone& bone = body.bones[at(body.attachments.bone[k])];
        at_bones(static_cast<Eigen::Index>(k),
                 static_cast<Eigen::Index>(column[at(bone.segment)])) = 1.0;
    }
    const HarmonicField field(body, Eigen::VectorXd::Ones(body.tets.tets.rows()), {});
    const Eigen::MatrixXd weights = field.values(Eigen::MatrixXd(0, at_bones.cols()), at_bones);
    Points x = body.tets.points;
    for (Eigen::Index v = 0; v < x.rows(); ++v) {
        const double sum = weights.row(v).sum();
        Vec3 moved = Vec3::Zero();
        for (std::size_t m = 0; m < motions.size(); ++m) {
            const double w = weights(v, static_cast<Eigen::Index>(m)) / sum;
            moved += w * motions[m](point(body.tets.points, v));
        }
        x.row(v) = moved.transpose();
    }
    return x;
}

}  // namespace

double kyphosis_of_age(double age) {
    return std::min(25.0, 0.5 * years_past(age)) * kPi / 180.0;
}

std::vector<std::pair<std::string, double>> muscles_of_age(double age) {
    if (age <= kGrownUp) {
        return {};
    }
    // Six years of men in their forties, fifties, sixties and seventies [Kitamura2014].
    constexpr std::array kArms = {0.009, -0.005, -0.014, -0.037};
    constexpr std::array kLegs = {-0.004, -0.013, -0.017, -0.039};
    const double arms = std::sqrt(volume_left(age, kArms, 1.0));
    const double legs = std::sqrt(volume_left(age, kLegs, 1.0));
    const double thighs = std::sqrt(volume_left(age, kLegs, 1.5));
    return {{"all", arms},       {"quadriceps", thighs}, {"glutes", thighs}, {"hamstrings", legs},
            {"adductors", legs}, {"calves", legs},       {"face", 1.0}};
}

double fat_modulus_of_age(double age) {
    return 1000.0 * (1.0 - std::min(1.0, years_past(age) / 50.0) * 2.0 / 3.0);
}

std::vector<double> fat_pattern_of_age(std::vector<double> pattern, double age) {
    const auto names = person_fat_regions();
    const double years = 0.01 * years_past(age);
    for (std::size_t r = 0; r < pattern.size(); ++r) {
        const bool gains = names[r] == "belly" || names[r] == "flanks" || names[r] == "chin";
        const bool stays = names[r] == "back" || names[r] == "chest";
        pattern[r] *= gains ? 1.0 + years : stays ? 1.0 : std::max(0.3, 1.0 - years);
    }
    return pattern;
}

double sitting_share_of_age(Sex sex, double age) {
    const double begin = sex == Sex::Female ? 11.0 : 12.0;
    const double young = sex == Sex::Female ? 0.519 : 0.514;
    const double adult = sex == Sex::Female ? 0.53 : 0.52;
    return young + std::clamp((age - begin) / (kAdult - begin), 0.0, 1.0) * (adult - young);
}

Body with_kyphosis(const Body& body, double angle) {
    const auto count = [&](auto&& is_one) {
        return static_cast<double>(
            std::count_if(body.skeleton.joints.begin(), body.skeleton.joints.end(),
                          [&](const Joint& joint) { return is_one(joint.name); }));
    };
    const double thoracic = count(is_thoracic);
    const double neck = count(is_neck);
    if (angle == 0.0 || thoracic == 0.0 || neck == 0.0 || body.attachments.bone.empty()) {
        return body;
    }
    const BentSpine bent = bent_spine(body.skeleton, angle, thoracic, neck);
    MovedBones moved{.bones = {}, .attachments = {}, .joints = bent.joints};
    for (const Bone& bone : body.bones) {
        Points points = bone.mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            points.row(i) = bent.segments[at(bone.segment)](point(points, i)).transpose();
        }
        moved.bones.push_back(std::move(points));
    }
    moved.attachments = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    for (std::size_t k = 0; k < body.attachments.bone.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        const Bone& bone = body.bones[at(body.attachments.bone[k])];
        moved.attachments.row(row) =
            bent.segments[at(bone.segment)](point(moved.attachments, row)).transpose();
    }
    Body result =
        with_rest_shape(body, mend_inversions(body.tets, bent_flesh(body, bent)).x, moved);
    // Axes belong to the segment that carries the joint and are rotated with it.
    for (Joint& joint : result.skeleton.joints) {
        if (joint.parent >= 0) {
            for (Vec3& axis : joint.axes) {
                axis = bent.segments[at(joint.parent)].rotation() * axis;
            }
        }
    }
    return result;
}

}  // namespace sinew
