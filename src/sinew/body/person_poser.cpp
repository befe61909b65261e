#include "sinew/body/person_poser.h"

#include "sinew/body/foot_contacts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sinew {

namespace {

// Weights of goals against the direction of a bone, which is 1.
constexpr double kTwist = 0.05;   // rotation of a bone, which also fixes its twist
constexpr double kHand = 0.1;     // rotation of a hand
constexpr double kFoot = 0.1;     // rotation of a foot
constexpr double kFinger = 0.5;   // direction of a hand
constexpr double kAstray = 0.02;  // cost of a limb that is tried from other starts too
constexpr double kGirdle = 0.3;   // rotation of a clavicle that an arm at its limits may take along
constexpr double kPelvis = 0.3;   // rotation of a pelvis that legs at their limits may take along
constexpr double kHips = 4.0;     // per m: position of a pelvis that legs may take along
constexpr double kBound = 1e-3;   // cost of legs from which on they take it along
constexpr double kHeel = 0.3;     // of the distance from ankle to toes: so far the heel is behind
constexpr double kToes = 0.5;     // and the tip of the toes in front

// Rotations along a row of joints, by height: the recorded ones at the middles of their bones, and
// between them along great circles.
class RowRotations {
public:
    void add(double height, const Mat3& G) {
        heights_.push_back(heights_.empty() ? height : std::max(height, heights_.back() + 1e-9));
        rotations_.emplace_back(G);
    }
    Mat3 at(double height) const {
        const auto above = std::upper_bound(heights_.begin(), heights_.end(), height);
        if (above == heights_.begin()) {
            return rotations_.front().toRotationMatrix();
        }
        if (above == heights_.end()) {
            return rotations_.back().toRotationMatrix();
        }
        const auto k = static_cast<std::size_t>(above - heights_.begin());
        const double t = (height - heights_[k - 1]) / (heights_[k] - heights_[k - 1]);
        return rotations_[k - 1].slerp(t, rotations_[k]).toRotationMatrix();
    }

private:
    std::vector<double> heights_ = {};
    std::vector<Eigen::Quaterniond> rotations_ = {};
};

// Middles of the bones of a row, as fractions of its length; `end` is where it ends.
std::vector<double> bone_middles(const std::vector<Vec3>& joints, const Vec3& end) {
    std::vector<double> start = {0.0};
    for (std::size_t k = 0; k < joints.size(); ++k) {
        const Vec3& next = k + 1 < joints.size() ? joints[k + 1] : end;
        start.push_back(start.back() + (next - joints[k]).norm());
    }
    std::vector<double> middles;
    for (std::size_t k = 0; k < joints.size(); ++k) {
        middles.push_back(start.back() > 0.0 ? 0.5 * (start[k] + start[k + 1]) / start.back()
                                             : static_cast<double>(k + 1));
    }
    return middles;
}

}  // namespace

PrunedModel::PrunedModel(const MusculoskeletalModel& whole, const PersonJoints& person,
                         const std::vector<Index>& more) {
    std::vector<Index> joint_to(whole.bodies.size(), -1);  // that leads to a body
    for (std::size_t j = 0; j < whole.joints.size(); ++j) {
        joint_to[static_cast<std::size_t>(whole.joints[j].child)] = static_cast<Index>(j);
    }
    std::set<Index> kept;
    const auto keep = [&](Index joint) {
        while (joint >= 0 && kept.insert(joint).second) {
            const Index body = whole.joints[static_cast<std::size_t>(joint)].parent;
            joint = body < 0 ? -1 : joint_to[static_cast<std::size_t>(body)];
        }
    };
    for (const auto& [part, list] : person.joints) {
        std::for_each(list.begin(), list.end(), keep);
    }
    std::for_each(more.begin(), more.end(), keep);
    model.name = whole.name;
    model.coordinates = whole.coordinates;
    for (Coordinate& coordinate : model.coordinates) {
        coordinate.joint = 0;
    }
    joint_of.assign(whole.joints.size(), -1);
    std::vector<Index> body_of(whole.bodies.size(), -1);
    for (const Index j : kept) {
        ModelJoint joint = whole.joints[static_cast<std::size_t>(j)];
        const auto number = static_cast<Index>(model.joints.size());
        joint_of[static_cast<std::size_t>(j)] = number;
        body_of[static_cast<std::size_t>(joint.child)] = number;
        model.bodies.push_back({.name = whole.bodies[static_cast<std::size_t>(joint.child)].name});
        joint.parent = joint.parent < 0 ? -1 : body_of[static_cast<std::size_t>(joint.parent)];
        joint.child = number;
        for (const JointAxis& axis : joint.axes) {
            if (axis.coordinate >= 0) {
                model.coordinates[static_cast<std::size_t>(axis.coordinate)].joint = number;
            }
        }
        model.joints.push_back(std::move(joint));
    }
    joints.convention = person.convention;
    for (const auto& [part, list] : person.joints) {
        for (const Index j : list) {
            joints.joints[part].push_back(joint_of[static_cast<std::size_t>(j)]);
        }
    }
}

// Joints from one to another below it, in order; empty where it is not below.
std::vector<Index> PersonPoser::path(Index from_joint, Index to_joint) const {
    std::vector<Index> joints;
    for (Index j = to_joint; j >= 0; j = model_.joints[static_cast<std::size_t>(j)].parent) {
        joints.push_back(j);  // body numbers are joint numbers
        if (j == from_joint) {
            std::reverse(joints.begin(), joints.end());
            return joints;
        }
    }
    return {};
}

std::vector<Index> PersonPoser::coordinates_of(const std::vector<Index>& joints,
                                               bool turns_only) const {
    std::vector<Index> all;
    for (const Index j : joints) {
        for (std::size_t k = 0; k < 6; ++k) {
            const Index c = model_.joints[static_cast<std::size_t>(j)].axes[k].coordinate;
            if (c >= 0 && (!turns_only || k < 3) &&
                !model_.coordinates[static_cast<std::size_t>(c)].is_locked &&
                std::find(all.begin(), all.end(), c) == all.end()) {
                all.push_back(c);
            }
        }
    }
    return all;
}

PersonPoser::PersonPoser(const Recording& recording, const PersonJoints& source,
                         const PrunedModel& pruned,
                         const std::vector<std::pair<Index, Index>>& extras,
                         const RetargetOptions& options)
    : recording_(recording),
      source_(source),
      model_(pruned.model),
      target_(pruned.joints),
      extras_(extras),
      options_(options),
      solver_(pruned.model),
      pair_(recording, source, solver_, target_, options.rests) {
    if (recording_.times.size() > 1) {
        frame_time_ = std::max(1e-4, (recording_.times.back() - recording_.times.front()) /
                                         static_cast<double>(recording_.times.size() - 1));
    }
    prepare_root();
    prepare_row({"trunk"}, source_.has("neck") ? "neck" : "head", trunk_);
    prepare_row({"neck", "head"}, "", neck_);
    prepare_limbs();
    find_ground();
    prepare_legs();
}

CarriedPoint PersonPoser::carried(const std::string& part, bool by_parent) const {
    const Index joint = target_.first(part);
    return {.body = by_parent ? model_.joints[static_cast<std::size_t>(joint)].parent : joint,
            .rest = solver_.centre(joint)};
}

Mat3 PersonPoser::parent_rotation(Index joint, const ModelPlacement& now) const {
    const Index parent = model_.joints[static_cast<std::size_t>(joint)].parent;
    return parent < 0 ? Mat3(Mat3::Identity()) : solver_.rotation(now, parent);
}

// Joints of each limb from its first part to its last: wrist or ankle, else elbow or knee.
void PersonPoser::prepare_limbs() {
    for (const std::string side : {"_l", "_r"}) {
        for (const auto& [first, middle, last] :
             {std::array{"shoulder", "elbow", "wrist"}, std::array{"hip", "knee", "ankle"}}) {
            const std::string from = first + side;
            const std::string to = pair_.has(last + side) ? last + side : middle + side;
            if (pair_.has(from) && pair_.has(to)) {
                limb_joints_[from] = path(target_.first(from), target_.first(to));
                // Joints within the foot bend with the ankle.
                const Index toe = target_.first("toe" + side);
                std::vector<Index> whole = limb_joints_[from];
                if (std::string_view(first) == "hip" && toe >= 0) {
                    whole = path(target_.first(from),
                                 model_.joints[static_cast<std::size_t>(toe)].parent);
                }
                limb_free_[from] = coordinates_of(whole.empty() ? limb_joints_[from] : whole, true);
                // Joints of the shoulder girdle, from the clavicle on.
                const Index clavicle = target_.first("clavicle" + side);
                if (std::string_view(first) == "shoulder" && clavicle >= 0) {
                    std::vector<Index> girdle = path(clavicle, target_.first(from));
                    if (girdle.size() > 1) {
                        girdle.pop_back();
                        girdle_free_[from] = coordinates_of(girdle, true);
                    }
                }
            }
        }
    }
}

// A target that hangs on the ground moves against the recorded part that it begins with.
void PersonPoser::prepare_root() {
    if (pair_.has("pelvis")) {
        const Index pelvis = target_.first("pelvis");
        std::vector<Index> up;
        for (Index j = pelvis; j >= 0; j = model_.joints[static_cast<std::size_t>(j)].parent) {
            up.push_back(j);
        }
        const std::vector<Index> own = coordinates_of({pelvis}, true);
        root_free_ = own.size() == 3 ? own : coordinates_of(up, false);
        for (const Index c : coordinates_of(up, false)) {
            if (!model_.coordinates[static_cast<std::size_t>(c)].is_rotation &&
                std::find(root_free_.begin(), root_free_.end(), c) == root_free_.end()) {
                root_free_.push_back(c);
            }
        }
        is_carried_ = !coordinates_of(up, true).empty();
        hips_ = carried("pelvis");
        if (target_.has("hip_l") && target_.has("hip_r")) {
            hips_.rest = 0.5 * (pair_.centre("hip_l") + pair_.centre("hip_r"));
        }
    }
    if (!is_carried_) {
        const bool is_leg = target_.has("hip_l") || target_.has("hip_r");
        const std::string base = is_leg || !source_.has("trunk") ? "pelvis" : "trunk";
        pair_.hold(source_.last(base));
    }
}

void PersonPoser::prepare_row(const std::vector<std::string>& parts, const std::string& end_source,
                              Row& row) const {
    const auto gather = [&](const PersonJoints& person, const auto& position,
                            std::vector<Index>& list, const std::string& end_part) {
        std::vector<Vec3> places;
        for (const std::string& part : parts) {
            const auto found = person.joints.find(part);
            if (found != person.joints.end()) {
                list.insert(list.end(), found->second.begin(), found->second.end());
            }
        }
        for (const Index joint : list) {
            places.push_back(position(joint));
        }
        const Index end = end_part.empty() ? -1 : person.first(end_part);
        return bone_middles(places, end >= 0         ? Vec3(position(end))
                                    : places.empty() ? Vec3(Vec3::Zero())
                                                     : places.back());
    };
    row.recorded = gather(
        source_, [&](Index j) { return recording_.rest_position(j); }, row.source_joints,
        end_source);
    const std::string end_target =
        end_source.empty() ? "" : (target_.has("neck") ? "neck" : "head");
    row.own = gather(
        target_, [&](Index j) { return solver_.centre(j); }, row.joints, end_target);
}

void PersonPoser::prepare_legs() {
    for (const std::string side : {"_l", "_r"}) {
        if (!pair_.has("hip" + side) || !pair_.has("knee" + side) || !pair_.has("ankle" + side) ||
            !is_carried_) {
            continue;
        }
        StandingLeg leg{.side = side,
                        .free = limb_free_["hip" + side],
                        .hip = carried("hip" + side),
                        .ankle = carried("ankle" + side)};
        const Vec3 knee = pair_.centre("knee" + side);
        leg.length = (knee - leg.hip.rest).norm() + (leg.ankle.rest - knee).norm();
        leg.ball = {.body = leg.ankle.body,
                    .rest = leg.ankle.rest + Vec3(0.0, 0.0, 0.15 * pair_.leg())};
        if (target_.has("toe" + side)) {
            leg.ball = carried("toe" + side, true);
        }
        const Vec3 toe = leg.ball.rest;
        Vec3 forward = toe - leg.ankle.rest;
        forward.y() = 0.0;
        const Vec3 heel = leg.ankle.rest - kHeel * forward;
        const Vec3 tip = toe + kToes * forward;
        leg.soles = {{.body = leg.ankle.body, .rest = Vec3(heel.x(), ground_, heel.z())},
                     {.body = leg.ball.body, .rest = Vec3(toe.x(), ground_, toe.z())},
                     {.body = leg.ball.body, .rest = Vec3(tip.x(), ground_, tip.z())}};
        legs_.push_back(std::move(leg));
    }
}

Vec3 PersonPoser::hips_of_source(std::size_t frame) const {
    if (source_.has("hip_l") && source_.has("hip_r")) {
        return 0.5 * (pair_.position(frame, source_.first("hip_l")) +
                      pair_.position(frame, source_.first("hip_r")));
    }
    return pair_.position(frame, source_.first("pelvis"));
}

// Heights: where the recording's feet stand becomes the target's ground; ankles count, as far above
// it as each one's own are.
void PersonPoser::find_ground() {
    if (!is_carried_) {
        return;
    }
    double lowest = HUGE_VAL;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        lowest = std::min(lowest, solver_.centre(static_cast<Index>(j)).y());
    }
    const bool is_on_zero = lowest >= -1e-3 && lowest < 0.15 * std::max(pair_.leg(), 0.1);
    ground_ = options_.ground.value_or(is_on_zero ? 0.0 : lowest);
    const std::size_t begin = recording_.rest_frame == 0 && recording_.times.size() > 1 ? 1 : 0;
    hips_start_ = hips_of_source(begin);
    lift_ = hips_.rest.y() - hips_start_.y();
    if (!pair_.has("ankle_l") || !pair_.has("ankle_r")) {
        return;
    }
    FootPaths paths{.frame_time = frame_time_, .leg = pair_.leg()};
    const bool has_toes = source_.has("toe_l") && source_.has("toe_r");
    const std::string point = has_toes ? "toe" : "ankle";
    double above = 0.0;  // of the ankle over that point, where the recording stands at rest
    double own = 0.0;
    for (const std::string side : {"_l", "_r"}) {
        above += 0.5 * (pair_.rest_position(source_.first("ankle" + side)).y() -
                        pair_.rest_position(source_.first(point + side)).y());
        own += 0.5 * (pair_.centre("ankle" + side).y() - ground_);
        for (std::size_t f = 0; f < recording_.times.size(); ++f) {
            (side == "_l" ? paths.own : paths.other)
                .push_back(pair_.position(f, source_.first(point + side)));
        }
    }
    const double standing = standing_height(paths, recording_.rest_frame);
    lift_ = ground_ + own - (standing + above);
}

// Where the middle between the hips is carried.
Vec3 PersonPoser::hips_goal(std::size_t frame) const {
    const Vec3 moved = hips_of_source(frame) - hips_start_;
    Vec3 hips(hips_.rest.x() + moved.x(), hips_of_source(frame).y() + lift_,
              hips_.rest.z() + moved.z());
    if (static_cast<Index>(frame) == recording_.rest_frame) {
        hips.y() = hips_.rest.y();  // a T-pose stands, wherever it was recorded
    }
    return hips;
}

void PersonPoser::pose_root(std::size_t frame, std::vector<double>& q) {
    const Index pelvis = target_.first("pelvis");
    const Mat3 wanted = pair_.wanted(frame, "pelvis");
    solver_.turn_joint(pelvis, parent_rotation(pelvis, solver_.place(q)), wanted, q);
    PoseGoals goals;
    goals.rotations.push_back({.body = hips_.body, .wanted = wanted});
    goals.positions.push_back({.point = hips_, .wanted = hips_goal(frame)});
    solver_.solve(root_free_, goals, q);
}

void PersonPoser::shift_pelvis(std::size_t frame, const Vec3& shift, std::vector<double>& q) {
    PoseGoals goals;
    goals.rotations.push_back(
        {.body = hips_.body, .wanted = solver_.rotation(solver_.place(q), hips_.body)});
    goals.positions.push_back({.point = hips_, .wanted = hips_goal(frame) + shift});
    solver_.solve(root_free_, goals, q);
}

Vec3 PersonPoser::pelvis_shift(std::size_t frame, const std::vector<double>& q) {
    return solver_.position(solver_.place(q), hips_) - hips_goal(frame);
}

void PersonPoser::pose_row(std::size_t frame, const Mat3& base, const Row& row,
                           std::vector<double>& q) {
    if (row.joints.empty() || row.source_joints.empty()) {
        return;
    }
    RowRotations rotations;
    rotations.add(0.0, base);
    for (std::size_t k = 0; k < row.source_joints.size(); ++k) {
        rotations.add(row.recorded[k], pair_.rotation(frame, row.source_joints[k]));
    }
    const ModelPlacement& now = solver_.place(q);
    Mat3 parent = parent_rotation(row.joints.front(), now);
    Index last = model_.joints[static_cast<std::size_t>(row.joints.front())].parent;
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
        const Index joint = row.joints[k];
        // Joints in between that are none of the row do not move.
        if (model_.joints[static_cast<std::size_t>(joint)].parent != last) {
            parent = parent_rotation(joint, solver_.place(q));
        }
        const bool is_last = k + 1 == row.joints.size();
        const Mat3 wanted =
            is_last ? pair_.rotation(frame, row.source_joints.back()) : rotations.at(row.own[k]);
        parent = solver_.turn_joint(joint, parent, wanted, q);
        last = joint;
    }
}

PoseGoals PersonPoser::limb_goals(std::size_t frame, const std::vector<std::string>& parts) const {
    PoseGoals goals;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::string& part = parts[k];
        if (!pair_.has(part)) {
            continue;
        }
        if (k + 1 < parts.size() && pair_.has(parts[k + 1])) {
            const CarriedPoint from = carried(part);
            const CarriedPoint to = carried(parts[k + 1], true);
            if ((to.rest - from.rest).norm() > 0.0) {
                goals.directions.push_back(
                    {.from = from,
                     .to = to,
                     .wanted = pair_.wanted_direction(frame, part, parts[k + 1]),
                     .weight = part.starts_with("wrist") ? kFinger : 1.0});
            }
        }
        const double weight = part.starts_with("wrist")   ? kHand
                              : part.starts_with("ankle") ? kFoot
                                                          : kTwist;
        if (!part.starts_with("finger")) {
            goals.rotations.push_back({.body = target_.first(part),
                                       .wanted = pair_.wanted(frame, part),
                                       .weight = weight});
        }
    }
    return goals;
}

// Each joint turned as far as it goes to where its part is led.
std::vector<double> PersonPoser::turned_limb(std::size_t frame,
                                             const std::vector<std::string>& parts,
                                             const std::vector<Index>& joints,
                                             const std::vector<double>& q) {
    std::vector<double> turned = q;
    Mat3 parent = parent_rotation(joints.front(), solver_.place(q));
    std::size_t part = 0;
    for (const Index joint : joints) {
        // A joint between two parts (a forearm that turns) goes to where the next one is led.
        while (part + 1 < parts.size() && target_.first(parts[part]) < joint &&
               pair_.has(parts[part + 1])) {
            ++part;
        }
        parent = solver_.turn_joint(joint, parent, pair_.wanted(frame, parts[part]), turned);
    }
    return turned;
}

// An arm that its limits keep from where it should point takes the shoulder girdle along, as a
// person's does beyond what the shoulder itself can. Hands do not: only upper arm and forearm ask.
void PersonPoser::pose_girdle(std::size_t frame, const std::string& side, std::vector<double>& q) {
    const std::string shoulder = "shoulder" + side;
    const auto girdle = girdle_free_.find(shoulder);
    if (girdle == girdle_free_.end()) {
        return;
    }
    PoseGoals goals = limb_goals(frame, {shoulder, "elbow" + side, "wrist" + side});
    if (solver_.cost({.directions = goals.directions}, q) < kBound) {
        return;
    }
    const ModelPlacement now = solver_.place(q);
    const Index scapula = model_.joints[static_cast<std::size_t>(target_.first(shoulder))].parent;
    for (const Index bone : std::set<Index>{target_.first("clavicle" + side), scapula}) {
        goals.rotations.push_back(
            {.body = bone, .wanted = solver_.rotation(now, bone), .weight = kGirdle});
    }
    std::vector<Index> free = girdle->second;
    free.insert(free.end(), limb_free_[shoulder].begin(), limb_free_[shoulder].end());
    solver_.solve(free, goals, q);
}

// From the angles of the frame before, or from those that turn each joint as far as it goes; from
// others too where neither leads there.
void PersonPoser::pose_limb(std::size_t frame, const std::vector<std::string>& parts,
                            std::vector<double>& q) {
    const std::vector<Index>& joints = limb_joints_[parts.front()];
    const std::vector<Index>& free = limb_free_[parts.front()];
    if (joints.empty()) {
        return;
    }
    const PoseGoals goals = limb_goals(frame, parts);
    std::vector<double> turned = turned_limb(frame, parts, joints, q);
    std::vector<double> best = solver_.cost(goals, turned) < solver_.cost(goals, q) ? turned : q;
    double cost = solver_.solve(free, goals, best);
    if (cost > kAstray) {
        std::vector<double> middle = q;
        for (const Index c : free) {
            middle[static_cast<std::size_t>(c)] = std::clamp(0.0, solver_.low(c), solver_.high(c));
        }
        for (std::vector<double>* start : {&turned, &middle}) {
            const double found = solver_.solve(free, goals, *start);
            if (found < 0.8 * cost) {
                cost = found;
                best = *start;
            }
        }
    }
    q = std::move(best);
}

void PersonPoser::pose_pelvis_and_legs(std::size_t frame, const PoseGoals& more, bool is_turning,
                                       std::vector<double>& q) {
    PoseGoals goals = more;
    std::vector<Index> free;
    for (const Index c : root_free_) {
        if (is_turning || !model_.coordinates[static_cast<std::size_t>(c)].is_rotation) {
            free.push_back(c);
        }
    }
    for (const StandingLeg& leg : legs_) {
        const PoseGoals own =
            limb_goals(frame, {"hip" + leg.side, "knee" + leg.side, "ankle" + leg.side});
        goals.directions.insert(goals.directions.end(), own.directions.begin(),
                                own.directions.end());
        goals.rotations.insert(goals.rotations.end(), own.rotations.begin(), own.rotations.end());
        free.insert(free.end(), leg.free.begin(), leg.free.end());
    }
    if (is_turning && solver_.cost(goals, q) < kBound) {
        return;
    }
    if (is_turning) {
        goals.rotations.push_back(
            {.body = hips_.body, .wanted = pair_.wanted(frame, "pelvis"), .weight = kPelvis});
    }
    goals.positions.push_back({.point = hips_, .wanted = hips_goal(frame), .weight = kHips});
    solver_.solve(free, goals, q);
}

void PersonPoser::pose_toes(std::size_t frame, std::vector<double>& q) {
    for (const std::string side : {"_l", "_r"}) {
        const std::string toe = "toe" + side;
        if (!pair_.has(toe) || !pair_.has("ankle" + side)) {
            continue;
        }
        const ModelPlacement now = solver_.place(q);
        // Toes turn against the foot as recorded ones do, wherever limits left the foot; a heel
        // with a joint of its own goes with the front of the foot.
        const Mat3 foot = parent_rotation(target_.first(toe), now);
        if (target_.has("heel" + side)) {
            const Index joint = target_.first("heel" + side);
            solver_.turn_joint(joint, parent_rotation(joint, now), foot, q);
        }
        const Mat3 against = pair_.rotation(frame, source_.first("ankle" + side)).transpose() *
                             pair_.rotation(frame, source_.first(toe));
        for (const Index joint : target_.joints.at(toe)) {
            solver_.turn_joint(joint, parent_rotation(joint, now), foot * against, q);
        }
    }
}

void PersonPoser::pose_extras(std::size_t frame, std::vector<double>& q) {
    for (const auto& [joint, recorded] : extras_) {
        const Index up = recording_.skeleton.joints[static_cast<std::size_t>(recorded)].parent;
        const Mat3 above = up < 0 ? Mat3(Mat3::Identity()) : pair_.rotation(frame, up);
        const Mat3 parent = parent_rotation(joint, solver_.place(q));
        // As it turns against its parent in the recording.
        solver_.turn_joint(joint, parent,
                           parent * above.transpose() * pair_.rotation(frame, recorded), q);
    }
}

std::vector<double> PersonPoser::pose_frame(std::size_t frame, const std::vector<double>& last) {
    std::vector<double> q = last;
    Mat3 base = Mat3::Identity();
    if (is_carried_) {
        pose_root(frame, q);
    }
    for (const std::string side : {"_l", "_r"}) {
        pose_limb(frame, {"hip" + side, "knee" + side, "ankle" + side}, q);
    }
    // Where hips do not bend as far as recorded ones the pelvis tilts, as a person's does; the
    // spine, which comes next, makes up for it above.
    if (!legs_.empty()) {
        pose_pelvis_and_legs(frame, {}, true, q);
    }
    if (source_.has("pelvis")) {
        base = pair_.rotation(frame, source_.first("pelvis"));
    }
    pose_row(frame, base, trunk_, q);
    if (source_.has("trunk")) {
        base = pair_.rotation(frame, source_.last("trunk"));
    }
    pose_row(frame, base, neck_, q);
    for (const std::string side : {"_l", "_r"}) {
        if (pair_.has("clavicle" + side)) {
            const Index joint = target_.first("clavicle" + side);
            solver_.turn_joint(joint, parent_rotation(joint, solver_.place(q)),
                               pair_.wanted(frame, "clavicle" + side), q);
        }
        const std::vector<std::string> arm = {"shoulder" + side, "elbow" + side, "wrist" + side,
                                              "finger" + side};
        pose_limb(frame, arm, q);
        pose_girdle(frame, side, q);
    }
    pose_toes(frame, q);
    pose_extras(frame, q);
    return q;
}

}  // namespace sinew
