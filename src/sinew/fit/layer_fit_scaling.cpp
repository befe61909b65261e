#include "sinew/body/body_parts.h"
#include "sinew/body/names.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"

#include <algorithm>

// The template at the person's size [Komaritzan, section 4.2.4]: joint centres are told from the
// skin where bones lie near it, bones get the person's lengths and damped thickness. Fat lifts the
// skin off bones, so joints are told from a skin without it, first against the template scaled as a
// whole, then against what came of it.

namespace sinew {

namespace {

constexpr double kBony = 0.025;  // m from skin to skeleton, where the skin tells of bones
constexpr Eigen::Index kBonyCentres = 700;
// Of the warp that tells joints from skin. Skin slides over bones and creases (that of the crotch
// is open in one person and closed in another): followed to the letter, it would draw hips together
// by a quarter.
constexpr double kBonySmoothing = 1e-3;
constexpr Eigen::Index kFewCentres = 60;  // fewer say too little
constexpr double kHandleArm = 0.025;      // m around a joint's centre
constexpr int kLeanRounds = 2;            // of telling joints from a skin without its fat
constexpr double kUsualFat = 0.7;         // of what stands out, where the fat is not known
constexpr int kLoweringSteps = 30;
constexpr double kSameHandle = 0.03;  // m: nearer ones are one

// Rows of a template and of a person that correspond.
Points rows(const Points& from, const std::vector<Index>& which) {
    Points result(static_cast<Eigen::Index>(which.size()), 3);
    for (std::size_t i = 0; i < which.size(); ++i) {
        result.row(static_cast<Eigen::Index>(i)) = from.row(which[i]);
    }
    return result;
}

// A smooth map that takes the skin to that of the person, nearly, where it lies on bones.
RbfWarp bony_warp(const LayeredTemplate& layers, const Points& skin) {
    std::vector<Index> bony;
    for (double reach = kBony; static_cast<Eigen::Index>(bony.size()) < kFewCentres; reach *= 2.0) {
        bony.clear();
        for (Eigen::Index i = 0; i < layers.skin.rows(); ++i) {
            if (layers.is_kept[at(i)] != 0 ||
                (layers.skin.row(i) - layers.bone.row(i)).norm() < reach) {
                bony.push_back(static_cast<Index>(i));
            }
        }
        if (static_cast<Eigen::Index>(bony.size()) == layers.skin.rows()) {
            break;
        }
    }
    std::vector<Index> centres;
    for (const Index c : farthest_points(rows(layers.skin, bony), kBonyCentres)) {
        centres.push_back(bony[at(c)]);
    }
    return RbfWarp(rows(layers.skin, centres), rows(skin, centres), {.smoothing = kBonySmoothing});
}

struct Handles {
    std::vector<Vec3> whole;   // joints whose surroundings are scaled
    std::vector<Vec3> centre;  // joints that only tell where they are
};

Handles find_handles(const Body& body) {
    Handles handles;
    const auto is_new = [&](const Vec3& p) {
        const auto is_near = [&](const Vec3& q) { return (p - q).norm() < kSameHandle; };
        return std::none_of(handles.whole.begin(), handles.whole.end(), is_near) &&
               std::none_of(handles.centre.begin(), handles.centre.end(), is_near);
    };
    const std::vector<BodyPart> parts = body_parts(body);
    for (const BodyPart& part : parts) {
        for (const Vec3& end : {part.near_end, part.far_end}) {
            if (part.is_long && is_new(end)) {
                handles.whole.push_back(end);
            }
        }
    }
    for (const BodyPart& part : parts) {
        if (!part.is_long && is_new(part.near_end)) {
            handles.centre.push_back(part.near_end);
        }
    }
    for (const Joint& joint : body.skeleton.joints) {
        const std::string& name = joint.name;
        const bool is_spine =
            name.starts_with("lumbar") || name.starts_with("thoracic") || name.starts_with("neck");
        if (is_spine && is_new(joint.centre)) {
            handles.centre.push_back(joint.centre);
        }
    }
    return handles;
}

// The template's layers between joints that are where this skin has them.
ScaledLayers scaled_by(const Body& body, const LayeredTemplate& layers, const Points& skin,
                       double stature_ratio, const LayerFitOptions& options) {
    ScaledLayers scaled;
    scaled.stature_ratio = stature_ratio;
    // d <- damping (d - 1) + 1
    scaled.thickness = options.damping * (stature_ratio - 1.0) + 1.0;
    const RbfWarp bony = bony_warp(layers, skin);
    const Handles handles = find_handles(body);
    const auto count = static_cast<Eigen::Index>(7 * handles.whole.size() + handles.centre.size());
    Points from(count, 3);
    Points to(count, 3);
    Eigen::Index row = 0;
    const auto add = [&](const Vec3& centre, const Vec3& target, const Vec3& arm) {
        from.row(row) = (centre + arm).transpose();
        to.row(row++) = (target + scaled.thickness * arm).transpose();
    };
    for (const Vec3& centre : handles.whole) {
        const Vec3 target = bony.at(centre);
        scaled.joints.push_back(target);
        add(centre, target, Vec3::Zero());
        for (int k = 0; k < 3; ++k) {
            add(centre, target, kHandleArm * Vec3::Unit(k));
            add(centre, target, -kHandleArm * Vec3::Unit(k));
        }
    }
    for (const Vec3& centre : handles.centre) {
        const Vec3 target = bony.at(centre);
        scaled.joints.push_back(target);
        add(centre, target, Vec3::Zero());
    }
    if (count < 4) {
        // Too few joints for a map: the skin's own.
        scaled.layers = {bony.apply(layers.skin), bony.apply(layers.muscle),
                         bony.apply(layers.bone)};
        return scaled;
    }
    const RbfWarp warp(from, to);
    scaled.layers = {warp.apply(layers.skin), warp.apply(layers.muscle), warp.apply(layers.bone)};
    return scaled;
}

// The skin as it would be with the fat of the scaled template. `excess` is the volume that goes,
// m^3; nothing: a fixed part of all that stands out. People who have less keep their skin: the
// template has little fat over its bones.
Points skin_without(const Points& skin, const Points& scaled_skin, const Triangles& triangles,
                    std::optional<double> excess) {
    if (excess && *excess <= 0.0) {
        return skin;
    }
    const Points normals = vertex_normals(skin, triangles);
    const Eigen::VectorXd over =
        ((skin - scaled_skin).array() * normals.array()).rowwise().sum().max(0.0).matrix();
    const auto lowered = [&](double part) {
        return Points(skin - part * (normals.array().colwise() * over.array()).matrix());
    };
    if (!excess) {
        return lowered(kUsualFat);
    }
    const double volume = enclosed_volume(skin, triangles) - *excess;
    double low = 0.0;
    double high = 1.0;
    for (int step = 0; step < kLoweringSteps; ++step) {
        const double part = 0.5 * (low + high);
        (enclosed_volume(lowered(part), triangles) < volume ? high : low) = part;
    }
    return lowered(0.5 * (low + high));
}

// The template's skin with the person's stature, standing on the same ground; kept regions say
// where it stands.
Points uniformly_scaled(const LayeredTemplate& layers, const Points& skin, double ratio) {
    Points scaled = ratio * layers.skin;
    Eigen::RowVector3d shift = Eigen::RowVector3d::Zero();
    double count = 0.0;
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        if (layers.is_kept[at(i)] != 0) {
            shift += skin.row(i) - scaled.row(i);
            count += 1.0;
        }
    }
    shift /= std::max(1.0, count);
    shift.y() = skin.col(1).minCoeff() - scaled.col(1).minCoeff();
    scaled.rowwise() += shift;
    return scaled;
}

}  // namespace

ScaledLayers scale_layers(const Body& body, const LayeredTemplate& layers, const Points& skin,
                          std::optional<double> fat_volume, const LayerFitOptions& options) {
    const double ratio = bounds(skin).size().y() / bounds(layers.skin).size().y();
    std::optional<double> excess;
    if (fat_volume) {
        excess = *fat_volume - ratio * ratio * ratio *
                                   volume_between(layers.skin, layers.muscle, layers.triangles);
    }
    // First against the template scaled as a whole, then against what came of it.
    Points lean =
        skin_without(skin, uniformly_scaled(layers, skin, ratio), layers.triangles, excess);
    ScaledLayers scaled = scaled_by(body, layers, lean, ratio, options);
    for (int round = 1; round < kLeanRounds; ++round) {
        lean = skin_without(skin, scaled.layers.skin, layers.triangles, excess);
        scaled = scaled_by(body, layers, lean, ratio, options);
    }
    return scaled;
}

}  // namespace sinew
