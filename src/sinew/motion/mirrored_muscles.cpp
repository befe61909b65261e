#include "sinew/motion/mirrored_muscles.h"

#include "sinew/body/kinematics.h"
#include "sinew/motion/known_muscles.h"

#include <map>
#include <string>

// Left and right. The median plane lies between paired bodies at rest; bodies without a counterpart
// are their own.

namespace sinew {

namespace {

// Of each item its counterpart's number, -1 without.
template <class Item>
std::vector<Index> counterparts_of(const std::vector<Item>& items) {
    std::map<std::string, Index> number;
    for (std::size_t i = 0; i < items.size(); ++i) {
        number[items[i].name] = static_cast<Index>(i);
    }
    std::vector<Index> out(items.size(), -1);
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string& name : names_of_other_side(items[i].name)) {
            const auto it = number.find(name);
            if (it != number.end() && out[i] < 0) {
                out[i] = it->second;
            }
        }
    }
    return out;
}

}  // namespace

MirroredMuscles::MirroredMuscles(const MusculoskeletalModel& model)
    : rest_(KinematicTree(model).place(rest_coordinates(model)).bodies) {
    const std::vector<Index> bodies = counterparts_of(model.bodies);
    Vec3 middle = Vec3::Zero();
    double pairs = 0.0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        other_body_.push_back(bodies[b] < 0 ? static_cast<Index>(b) : bodies[b]);
        if (bodies[b] > static_cast<Index>(b)) {
            const Vec3 across = rest_[b].position - rest_[at(bodies[b])].position;
            normal_ += normal_.dot(across) < 0.0 ? Vec3(-across) : across;
            middle += 0.5 * (rest_[b].position + rest_[at(bodies[b])].position);
            pairs += 1.0;
        }
    }
    if (normal_.norm() > 1e-6) {
        normal_.normalize();
        offset_ = normal_.dot(middle) / pairs;
    } else {
        normal_.setZero();
    }
    counterpart_.resize(model.muscles.size());
    const std::vector<Index> muscles = counterparts_of(model.muscles);
    for (std::size_t m = 0; m < muscles.size() && !normal_.isZero(); ++m) {
        if (muscles[m] < 0) {
            continue;
        }
        const std::vector<PathPoint>& here = model.muscles[m].points;
        const std::vector<PathPoint>& there = model.muscles[at(muscles[m])].points;
        bool is_alike = here.size() == there.size();
        for (std::size_t k = 0; is_alike && k < here.size(); ++k) {
            is_alike = here[k].anchors.size() == there[k].anchors.size();
            for (std::size_t a = 0; is_alike && a < here[k].anchors.size(); ++a) {
                is_alike = other_body(here[k].anchors[a].body) == there[k].anchors[a].body;
            }
        }
        if (is_alike) {
            counterpart_[m] = at(muscles[m]);
        }
    }
}

std::optional<std::size_t> MirroredMuscles::counterpart(std::size_t muscle) const {
    return counterpart_[muscle];
}

MuscleUnit MirroredMuscles::mirrored(const MuscleUnit& muscle, const MuscleUnit& from) const {
    const auto placed = [&](Index body) { return body < 0 ? Placement{} : rest_[at(body)]; };
    MuscleUnit out = muscle;
    for (std::size_t k = 0; k < out.points.size(); ++k) {
        for (std::size_t a = 0; a < out.points[k].anchors.size(); ++a) {
            PathPoint::Anchor& anchor = out.points[k].anchors[a];
            const PathPoint::Anchor& other = from.points[k].anchors[a];
            const Vec3 p = placed(other.body) * other.position;
            const Vec3 image = p - 2.0 * (p.dot(normal_) - offset_) * normal_;
            anchor.position = placed(anchor.body).inverse() * image;
        }
    }
    return out;
}

}  // namespace sinew
