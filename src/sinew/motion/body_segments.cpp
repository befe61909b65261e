#include "sinew/motion/body_segments.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

// Which part of a person each rigid body is, by its name, and where that says nothing by what it
// hangs on. Models come from OpenSim, MuJoCo, MASS and from our own bodies, so names are compared
// as letters in lower case without separators, and sides are read at either end. A name is believed
// only where the body hangs on what it can hang on.

namespace sinew {

namespace {

constexpr double kLeastLimb = 1e-3;  // m; shorter ones are not there

constexpr std::array<std::string_view, 10> kSegmentNames = {
    "trunk", "neck", "head", "femur", "tibia", "foot", "humerus", "ulna", "hand", "none"};

// Letters of a name in lower case, and the side that stands at one of its ends.
struct PlainName {
    std::string letters;
    BodySide side = BodySide::Middle;
};

PlainName plain_name(std::string_view name) {
    PlainName out;
    std::string lower;
    for (const char c : name) {
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const auto cut = [&](std::string_view word, BodySide side) {
        const std::size_t found = lower.find(word);
        if (out.side == BodySide::Middle && found != std::string::npos) {
            out.side = side;
            lower.erase(found, word.size());
        }
    };
    cut("left", BodySide::Left);
    cut("right", BodySide::Right);
    // "_l" and "l_" at an end; a capital L or R at the end ("FemurL").
    for (const auto& [letter, side] :
         {std::pair{'l', BodySide::Left}, std::pair{'r', BodySide::Right}}) {
        const std::size_t n = lower.size();
        if (out.side != BodySide::Middle || n < 3) {
            continue;
        }
        const bool is_capital = n == name.size() && name.back() == std::toupper(letter) &&
                                std::islower(static_cast<unsigned char>(name[n - 2])) != 0;
        if (lower[n - 1] == letter && (lower[n - 2] == '_' || lower[n - 2] == '.' || is_capital)) {
            out.side = side;
            lower.pop_back();
        } else if (lower[0] == letter && (lower[1] == '_' || lower[1] == '.')) {
            out.side = side;
            lower.erase(0, 1);
        }
    }
    for (const char c : lower) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            out.letters += c;
        }
    }
    return out;
}

bool has_word(const std::string& letters, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return letters.find(word) != std::string::npos;
    });
}

SegmentKind kind_by_name(const std::string& letters) {
    if (has_word(letters, {"forearm", "lowerarm", "ulna", "radius"})) {
        return SegmentKind::Ulna;
    }
    if (letters == "arm" || has_word(letters, {"humerus", "upperarm"})) {
        return SegmentKind::Humerus;
    }
    if (has_word(letters, {"femur", "thigh"})) {
        return SegmentKind::Femur;
    }
    if (has_word(letters, {"tibia", "shank", "shin", "fibula"})) {
        return SegmentKind::Tibia;
    }
    // Letters of vertebra_c1 to vertebra_c7.
    if (letters == "vertebrac" || has_word(letters, {"neck", "cervical"})) {
        return SegmentKind::Neck;
    }
    if (letters == "head" || has_word(letters, {"skull", "cranium"})) {
        return SegmentKind::Head;
    }
    return SegmentKind::None;
}

// What a body without a name of its own is by what it hangs on.
SegmentKind kind_by_parent(SegmentKind parent) {
    switch (parent) {
        case SegmentKind::Tibia:
        case SegmentKind::Foot:
            return SegmentKind::Foot;
        case SegmentKind::Ulna:
        case SegmentKind::Hand:
            return SegmentKind::Hand;
        case SegmentKind::Neck:
        case SegmentKind::Head:
            return SegmentKind::Head;
        case SegmentKind::Trunk:
            return SegmentKind::Trunk;
        case SegmentKind::Femur:
        case SegmentKind::Humerus:
        case SegmentKind::None:
            break;
    }
    return SegmentKind::None;
}

SegmentKind kind_named(const std::string& name) {
    const auto found = std::find(kSegmentNames.begin(), kSegmentNames.end(), name);
    if (found == kSegmentNames.end()) {
        throw InputError({.where = fmt::format("segments.{}", name),
                          .found = "no such segment",
                          .needs = fmt::format("one of {}", fmt::join(kSegmentNames, ", ")),
                          .remedy = "name a segment of a person"});
    }
    return static_cast<SegmentKind>(found - kSegmentNames.begin());
}

}  // namespace

std::string_view name_of(SegmentKind kind) {
    return kSegmentNames[static_cast<std::size_t>(kind)];
}

std::vector<BodySegment> find_segments(
    const MusculoskeletalModel& model,
    const std::vector<std::pair<std::string, std::vector<std::string>>>& named) {
    std::vector<BodySegment> out(model.bodies.size());
    std::vector<bool> is_given(model.bodies.size(), false);
    for (const auto& [segment, bodies] : named) {
        const SegmentKind kind = kind_named(segment);
        for (const std::string& name : bodies) {
            const Index body = find_body(model, name);
            if (body < 0) {
                throw InputError({.where = fmt::format("segments.{}", segment),
                                  .found = fmt::format("'{}', which is no body", name),
                                  .needs = "bodies of the model",
                                  .remedy = "list them with `sinew info MODEL`"});
            }
            out[at(body)].kind = kind;
            is_given[at(body)] = true;
        }
    }
    // Parents come first, so that what hangs on a limb is known to.
    for (const ModelJoint& joint : model.joints) {
        BodySegment& segment = out[at(joint.child)];
        const PlainName plain = plain_name(model.bodies[at(joint.child)].name);
        const BodySegment parent =
            joint.parent < 0 ? BodySegment{.kind = SegmentKind::Trunk} : out[at(joint.parent)];
        segment.side = plain.side != BodySide::Middle ? plain.side : parent.side;
        if (is_given[at(joint.child)]) {
            continue;
        }
        segment.kind = kind_by_name(plain.letters);
        // A name is believed where it hangs on what it can hang on: a "femur_head" of a hand is
        // part of the hand.
        if (segment.kind == SegmentKind::None || parent.kind == SegmentKind::Foot ||
            parent.kind == SegmentKind::Hand) {
            segment.kind = kind_by_parent(parent.kind);
        }
    }
    return out;
}

LimbAxis limb_axis(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments,
                   BodySegment which) {
    const KinematicTree tree(model);
    const ModelPlacement rest = tree.place(rest_coordinates(model));
    const auto belongs = [&](Index body) {
        return body >= 0 && segments[at(body)].kind == which.kind &&
               segments[at(body)].side == which.side;
    };
    LimbAxis axis;
    Index top = -1;
    bool has_end = false;
    for (const ModelJoint& joint : model.joints) {
        const Vec3 centre = rest.bodies[at(joint.child)] * joint.child_frame.position;
        if (top < 0 && belongs(joint.child)) {
            top = joint.child;
            axis.proximal = centre;
        } else if (!has_end && belongs(joint.parent) && !belongs(joint.child) &&
                   segments[at(joint.child)].kind != SegmentKind::None) {
            axis.distal = centre;
            has_end = true;
        }
    }
    if (top >= 0 && !has_end) {
        axis.distal = 2.0 * (rest.bodies[at(top)] * model.bodies[at(top)].com) - axis.proximal;
    }
    return axis;
}

std::optional<Vec3> left_direction(const MusculoskeletalModel& model,
                                   const std::vector<BodySegment>& segments) {
    for (const SegmentKind kind : {SegmentKind::Femur, SegmentKind::Humerus}) {
        const LimbAxis l = limb_axis(model, segments, {kind, BodySide::Left});
        const LimbAxis r = limb_axis(model, segments, {kind, BodySide::Right});
        const Vec3 across = l.proximal - r.proximal;
        if ((l.distal - l.proximal).norm() > kLeastLimb &&
            (r.distal - r.proximal).norm() > kLeastLimb && across.norm() > kLeastLimb) {
            return across.normalized();
        }
    }
    return std::nullopt;
}

}  // namespace sinew
