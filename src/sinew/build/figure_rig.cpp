#include "sinew/build/figure_rig.h"

#include "sinew/base/error.h"
#include "sinew/build/figure_shape.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

double smooth_step(double t) {
    const double s = std::clamp(t, 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/// Which joints lie above each bone.
class Tree {
public:
    Tree(const FigureTable& table, std::span<const std::string> joints) {
        for (const FigureJoint& joint : table.joints) {
            above_[joint.child] = &joint;
        }
        for (const std::string& name : joints) {
            const auto found = std::find_if(table.joints.begin(), table.joints.end(),
                                            [&](const FigureJoint& j) { return j.name == name; });
            if (found == table.joints.end()) {
                throw InputError({.where = "figure table",
                                  .found = fmt::format("no joint '{}'", name),
                                  .needs = "the joints that the stance or proportions turn",
                                  .remedy = "use a joint of the figure's joint file"});
            }
            joints_.push_back(&*found);
        }
    }

    const std::vector<const FigureJoint*>& joints() const {
        return joints_;
    }

    /// 1 for each joint that carries the bone.
    std::vector<double> follows(const std::string& bone) const {
        std::vector<double> result(joints_.size(), 0.0);
        for (auto at = above_.find(bone); at != above_.end();
             at = above_.find(at->second->parent)) {
            for (std::size_t k = 0; k < joints_.size(); ++k) {
                if (joints_[k] == at->second) {
                    result[k] = 1.0;
                }
            }
        }
        return result;
    }

private:
    std::map<std::string, const FigureJoint*> above_;
    std::vector<const FigureJoint*> joints_;
};

/// Follows of a way from one bone to another: `at` is the share of the way, `bend` where it passes
/// each joint and how softly.
struct Span {
    std::vector<double> from, to;

    bool is_moved() const {
        const auto any = [](const std::vector<double>& v) {
            return std::any_of(v.begin(), v.end(), [](double w) { return w > 0.0; });
        };
        return any(from) || any(to);
    }
};

struct Bend {
    double middle = 0.5;  ///< share of the way
    double half = 0.5;
};

/// The bend at a joint for a way of length `length`: soft over the distance to the joint.
Bend bend_at(double share, double distance, double length) {
    constexpr double kSoftness = 0.7;  // of the distance to the joint's centre
    constexpr double kLeast = 0.12;    // of the way
    const double half = std::max(kSoftness * distance / std::max(length, 1e-6), kLeast);
    const double low = std::max(0.0, share - half);
    const double high = std::min(1.0, share + half);
    return {.middle = 0.5 * (low + high), .half = std::max(0.5 * (high - low), kLeast)};
}

std::vector<double> follows_at(const Span& span, const std::vector<Bend>& bends, double share) {
    std::vector<double> result(span.from.size());
    for (std::size_t k = 0; k < result.size(); ++k) {
        const Bend& b = bends[k];
        const double w = smooth_step((share - b.middle + b.half) / (2.0 * b.half));
        result[k] = (1.0 - w) * span.from[k] + w * span.to[k];
    }
    return result;
}

void move_station(FigureStation& s, const FigureMove& moved) {
    s.position = moved.position;
    s.normal = (moved.turn * s.normal).normalized();
}

void move_stroke(FigureStroke& stroke, const Span& span, const Tree& tree, const FigureMap& map) {
    std::vector<double> way = {0.0};
    for (std::size_t i = 1; i < stroke.stations.size(); ++i) {
        way.push_back(way.back() +
                      (stroke.stations[i].position - stroke.stations[i - 1].position).norm());
    }
    const double length = std::max(way.back(), 1e-6);
    std::vector<Bend> bends;
    for (const FigureJoint* joint : tree.joints()) {
        // Nearest point of the stations' polyline to the joint.
        double share = 0.0, least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i + 1 < stroke.stations.size(); ++i) {
            const Vec3& a = stroke.stations[i].position;
            const Vec3 e = stroke.stations[i + 1].position - a;
            const double t =
                std::clamp((joint->centre - a).dot(e) / std::max(e.squaredNorm(), 1e-12), 0.0, 1.0);
            const double d = (joint->centre - a - t * e).norm();
            if (d < least) {
                least = d;
                share = (way[i] + t * (way[i + 1] - way[i])) / length;
            }
        }
        bends.push_back(bend_at(share, least, length));
    }
    for (std::size_t i = 0; i < stroke.stations.size(); ++i) {
        FigureStation& s = stroke.stations[i];
        move_station(s, map(s.position, follows_at(span, bends, way[i] / length)));
    }
}

/// A sheet's way is told by the distances to its nodes nearest the two bones.
void move_sheet(FigureSheet& sheet, const Span& span, const std::vector<FigureShape>& from,
                const std::vector<FigureShape>& to, const Tree& tree, const FigureMap& map) {
    const auto nearest_node = [&](auto&& distance) {
        return *std::min_element(sheet.nodes.begin(), sheet.nodes.end(),
                                 [&](const FigureNode& a, const FigureNode& b) {
                                     return distance(a.position) < distance(b.position);
                                 });
    };
    const auto to_bone = [&](const std::vector<FigureShape>& bone) {
        return [&](const Vec3& x) { return part_distance(bone, x, FigureLayer::Part); };
    };
    const Vec3 start = nearest_node(to_bone(from)).position;
    const Vec3 end = nearest_node(to_bone(to)).position;
    const auto share_of = [&](const Vec3& x) {
        const double a = (x - start).norm(), b = (x - end).norm();
        return a / std::max(a + b, 1e-9);
    };
    const double length = (end - start).norm();
    std::vector<Bend> bends;
    for (const FigureJoint* joint : tree.joints()) {
        const Vec3 near =
            nearest_node([&](const Vec3& x) { return (x - joint->centre).norm(); }).position;
        bends.push_back(bend_at(share_of(near), (near - joint->centre).norm(), length));
    }
    for (FigureNode& node : sheet.nodes) {
        node.position =
            map(node.position, follows_at(span, bends, share_of(node.position))).position;
    }
}

/// Fat has no way: it follows the nearer bone.
void move_fat(FigurePart& part, const Span& span, const std::vector<FigureShape>& from,
              const std::vector<FigureShape>& to, const FigureMap& map) {
    const std::vector<Bend> bends(span.from.size(), Bend{.middle = 0.5, .half = 0.2});
    for (FigureStroke& stroke : part.strokes) {
        for (FigureStation& s : stroke.stations) {
            const double a = std::max(part_distance(from, s.position, FigureLayer::Part), 0.0);
            const double b = std::max(part_distance(to, s.position, FigureLayer::Part), 0.0);
            move_station(s, map(s.position, follows_at(span, bends, a / std::max(a + b, 1e-9))));
        }
    }
}

void move_part(FigurePart& part, const Tree& tree,
               const std::map<std::string, std::vector<FigureShape>>& bones, const FigureMap& map) {
    const auto everywhere = [&](const std::vector<double>& follows) {
        for (FigureStroke& stroke : part.strokes) {
            for (FigureStation& s : stroke.stations) {
                move_station(s, map(s.position, follows));
            }
        }
        for (FigureSheet& sheet : part.sheets) {
            for (FigureNode& node : sheet.nodes) {
                node.position = map(node.position, follows).position;
            }
        }
    };
    if (is_rigid(part.kind) || part.origin.empty() || part.insertion.empty()) {
        everywhere(tree.follows(is_rigid(part.kind) ? part.name : part.origin));
        return;
    }
    const Span span{.from = tree.follows(part.origin), .to = tree.follows(part.insertion)};
    if (span.from == span.to) {
        everywhere(span.from);
    } else if (part.kind == FigureKind::Fill) {
        move_fat(part, span, bones.at(part.origin), bones.at(part.insertion), map);
    } else {
        for (FigureStroke& stroke : part.strokes) {
            move_stroke(stroke, span, tree, map);
        }
        for (FigureSheet& sheet : part.sheets) {
            move_sheet(sheet, span, bones.at(part.origin), bones.at(part.insertion), tree, map);
        }
    }
}

}  // namespace

void move_figure(FigureTable& table, std::span<const std::string> joints, const FigureMap& map) {
    const FigureTable before = table;
    const Tree tree(before, joints);
    std::map<std::string, std::vector<FigureShape>> bones;
    for (const FigurePart& part : before.parts) {
        if (is_rigid(part.kind)) {
            bones.emplace(part.name, shapes_of(part));
            if (part.mirror) {
                std::vector<FigureShape> right;
                for (const FigureShape& shape : bones.at(part.name)) {
                    right.push_back(shape.reflected());
                }
                bones.emplace(right_name(part.name), std::move(right));
            }
        }
    }
    for (FigurePart& part : table.parts) {
        move_part(part, tree, bones, map);
    }
    for (FigureJoint& joint : table.joints) {
        const FigureMove moved = map(joint.centre, tree.follows(joint.parent));
        joint.centre = moved.position;
        for (Vec3& axis : joint.axes) {
            axis = (moved.turn * axis).normalized();
        }
    }
    for (Landmark& landmark : table.landmarks) {
        const auto nearest =
            std::min_element(bones.begin(), bones.end(), [&](const auto& a, const auto& b) {
                return part_distance(a.second, landmark.position, FigureLayer::Part) <
                       part_distance(b.second, landmark.position, FigureLayer::Part);
            });
        landmark.position = map(landmark.position, tree.follows(nearest->first)).position;
    }
}

void apply_stance(FigureTable& table, const FigureStance& stance) {
    // Angles of each turned joint, in the order of the joints: parents before children.
    struct Turned {
        std::string joint;
        Vec3 centre = Vec3::Zero();
        std::vector<Vec3> axes;
        std::vector<double> angles;
    };
    std::vector<Turned> turned;
    std::vector<std::string> names;
    for (const FigureJoint& joint : table.joints) {
        std::vector<double> angles(joint.axes.size(), 0.0);
        for (const FigureStance::Turn& turn : stance.turns) {
            for (std::size_t k = 0; k < joint.motions.size(); ++k) {
                angles[k] +=
                    turn.joint == joint.name && turn.motion == joint.motions[k] ? turn.angle : 0.0;
            }
        }
        if (std::any_of(angles.begin(), angles.end(), [](double a) { return a != 0.0; })) {
            turned.push_back({joint.name, joint.centre, joint.axes, angles});
            names.push_back(joint.name);
        }
    }
    const auto turn_of = [](const Turned& t, double share) {
        Mat3 R = Mat3::Identity();
        for (std::size_t k = 0; k < t.axes.size(); ++k) {
            R = R * Eigen::AngleAxisd(share * t.angles[k], t.axes[k].normalized());
        }
        return R;
    };
    move_figure(table, names, [&](const Vec3& position, std::span<const double> follows) {
        // The innermost joint turns first: children before parents.
        FigureMove moved{.position = position};
        for (std::size_t k = turned.size(); k-- > 0;) {
            if (follows[k] > 0.0) {
                const Mat3 R = turn_of(turned[k], follows[k]);
                moved.position = turned[k].centre + R * (moved.position - turned[k].centre);
                moved.turn = R * moved.turn;
            }
        }
        return moved;
    });
    // R(q' + q) R(q)^-1 = product of turns about axes carried along by the angles before them.
    for (FigureJoint& joint : table.joints) {
        const auto t = std::find_if(turned.begin(), turned.end(),
                                    [&](const Turned& x) { return x.joint == joint.name; });
        if (t == turned.end()) {
            continue;
        }
        Mat3 R = Mat3::Identity();
        for (std::size_t k = 0; k < joint.axes.size(); ++k) {
            const Vec3 own = joint.axes[k];
            joint.axes[k] = R * own;
            R = R * Eigen::AngleAxisd(t->angles[k], own).toRotationMatrix();
            joint.limits[k].low -= t->angles[k];
            joint.limits[k].high -= t->angles[k];
        }
        joint.rest += t->angles[0];
    }
}

void scale_figure(FigureTable& table, double factor) {
    const double volume = factor * factor * factor;
    for (FigurePart& part : table.parts) {
        part.volume *= volume;
        for (FigureStroke& stroke : part.strokes) {
            stroke.blend *= factor;
            if (stroke.cap) {
                *stroke.cap = {(*stroke.cap)[0] * factor, (*stroke.cap)[1] * factor};
            }
            for (FigureStation& s : stroke.stations) {
                s.position *= factor;
                s.a *= factor;
                s.b *= factor;
                s.skin *= factor;
            }
        }
        for (FigureSheet& sheet : part.sheets) {
            sheet.blend *= factor;
            for (FigureNode& node : sheet.nodes) {
                node.position *= factor;
                node.half *= factor;
                node.skin *= factor;
            }
        }
    }
    for (FigureJoint& joint : table.joints) {
        joint.centre *= factor;
    }
    for (Landmark& landmark : table.landmarks) {
        landmark.position *= factor;
    }
    for (double* length : {&table.skin.smooth_body, &table.skin.smooth_fine, &table.skin.blur_body,
                           &table.skin.blur_fine, &table.skin.gap, &table.stature}) {
        *length *= factor;
    }
}

}  // namespace sinew
