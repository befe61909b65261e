#include "sinew/motion/wrap_agreement.h"

#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/motion/wrap_pieces.h"
#include "sinew/motion/wrapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>

// Whether two rules agree is a matter of rare poses: of an arm's they may part in one of 10 000. So
// each pose counts with its neighbours, in which ends lie a little further round the cylinder.

namespace sinew {

namespace {

constexpr int kPoses = 10000;
constexpr std::size_t kStride = 20;  // of poses at which changes of length are compared
constexpr std::size_t kAdded = 100;  // pieces that rule out changes, of those that are off
constexpr double kCapped = 5e-3;     // m, what a jump counts at most
constexpr int kDirections = 36;      // round a cylinder
constexpr int kMostTurned = 9;       // of these, to either side
constexpr std::array kRadii = {1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5};
constexpr std::array kThinRadii = {0.4, 0.3, 0.2};

using Lengths = std::vector<double>;
using Pieces = std::vector<WrapPiece>;

Mat3 turning(double angle) {
    return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
}

// Whether a piece goes more than half round the cylinder, which no muscle does.
bool is_wound(const WrapObject& object, const WrapPiece& piece) {
    const SurfaceWrap wrap = wrap_segment(object, piece.from, piece.to);
    const double along = wrap.end.z() - wrap.begin.z();
    return wrap.wraps &&
           wrap.length * wrap.length > std::pow(kPi * object.size[0], 2) + along * along;
}

double direction(int k) {
    return 2.0 * kPi * k / kDirections;
}

struct Change {
    double radius = 1.0;  // times the one there is; 0: the cylinder is left out
    int turn = 0;         // directions, about the cylinder's axis
    int side = 0;         // direction of the side point that agrees, before it turned
    bool is_none() const {
        return radius == 1.0 && turn == 0;
    }
};

// At which pieces rules must agree.
struct Asked {
    std::size_t stride = 1;  // of poses
    bool neighbours = true;
    bool unwound = true;  // whether paths may not wind themselves up, either
};

struct Trial {
    Asked asked;
    std::span<const double> radii;
};
const std::array<Trial, 4> kAgreements = {
    {{{}, std::span(kRadii).first(5)},
     {{.neighbours = false}, kRadii},
     {{.stride = 4, .neighbours = false, .unwound = false}, kRadii},
     {{}, kThinRadii}}};

// Looks for the least change of a cylinder with which both rules agree.
class AgreementSearch {
public:
    AgreementSearch(const WrapObject& object, const Pieces& drawn)
        : object_(object), all_(with_neighbours(drawn)), wanted_(lengths_over(object, all_)) {}

    // Changes that agree at a few poses are looked at with all of them; what is off there then
    // rules out others, too.
    Change find() {
        const std::vector<std::size_t> off = lacking(Change{});
        if (off.empty()) {
            return {};
        }
        tried_ = thinned(off);
        // A thinner cylinder costs moment arms, so before it fewer poses are asked to agree.
        for (const auto& [asked, radii] : kAgreements) {
            asked_ = asked;
            if (const auto change = find_among(radii)) {
                return *change;
            }
        }
        return {.radius = 0.0};
    }

private:
    std::optional<Change> find_among(std::span<const double> radii) {
        for (const double radius : radii) {
            std::vector<Change> left = all_changes(radius);
            rule_out(left, tried_);
            while (!left.empty()) {
                const Change best = nearest_to_wanted(left, tried_);
                const std::vector<std::size_t> more = thinned(lacking(best));
                if (more.empty()) {
                    return best;
                }
                tried_.insert(tried_.end(), more.begin(), more.end());
                rule_out(left, more);
            }
        }
        return std::nullopt;
    }

    static std::vector<Change> all_changes(double radius) {
        std::vector<Change> out;
        for (int turn = -kMostTurned; turn <= kMostTurned; ++turn) {
            for (int side = 0; side < kDirections; ++side) {
                out.push_back({radius, turn, side});
            }
        }
        return out;
    }

    // A hundred of them are enough to rule out others.
    static std::vector<std::size_t> thinned(const std::vector<std::size_t>& pieces) {
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k < pieces.size(); k += 1 + pieces.size() / kAdded) {
            out.push_back(pieces[k]);
        }
        return out;
    }

    WrapObject changed(double radius) const {
        WrapObject object = object_;
        object.size[0] *= radius;
        return object;
    }

    // Whether rules disagree at a piece, or the path winds itself up.
    bool is_lacking(std::size_t k, const WrapObject& object, const WrapPiece& seen,
                    double sided) const {
        const std::size_t pose = k / (kNeighbours + 1);
        const bool is_drawn = k % (kNeighbours + 1) == 0;
        if (pose % asked_.stride != 0 || (!asked_.neighbours && !is_drawn)) {
            return false;
        }
        return std::abs(length_over(object, seen) - sided) > kSidesApart ||
               (is_drawn && asked_.unwound && is_wound(object, seen));
    }

    std::vector<std::size_t> lacking(const Change& change) const {
        const WrapObject object = changed(change.radius);
        const WrapObject sided = with_side_towards(object, direction(change.side));
        const Mat3 R = turning(-direction(change.turn));
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const WrapPiece seen = {R * all_[k].from, R * all_[k].to};
            if (is_lacking(k, object, seen, length_over(sided, all_[k]))) {
                out.push_back(k);
            }
        }
        return out;
    }

    // Takes those away that lack at one of the pieces.
    void rule_out(std::vector<Change>& changes, const std::vector<std::size_t>& pieces) const {
        if (changes.empty()) {
            return;
        }
        const WrapObject object = changed(changes.front().radius);
        for (const std::size_t k : pieces) {
            std::array<std::optional<double>, kDirections> sided;
            std::erase_if(changes, [&](const Change& c) {
                std::optional<double>& length = sided[at(c.side)];
                if (!length) {
                    length = length_over(with_side_towards(object, direction(c.side)), all_[k]);
                }
                const Mat3 R = turning(-direction(c.turn));
                return is_lacking(k, object, {R * all_[k].from, R * all_[k].to}, *length);
            });
        }
    }

    // Of those left, that which changes lengths least; the less turned of equal ones.
    Change nearest_to_wanted(const std::vector<Change>& left,
                             const std::vector<std::size_t>& tried) const {
        const WrapObject object = changed(left.front().radius);
        std::tuple<double, int, int> least = {1e300, 0, 0};
        Change best;
        int last_turn = kDirections;
        double change = 0.0;
        for (const Change& c : left) {
            if (c.turn != last_turn) {
                last_turn = c.turn;
                change = length_change(object, turning(-direction(c.turn)), tried);
            }
            const int aside =
                std::abs((c.side - c.turn + 3 * kDirections / 2) % kDirections - kDirections / 2);
            const std::tuple<double, int, int> here = {change, aside, std::abs(c.turn)};
            if (here < least) {
                least = here;
                best = c;
            }
        }
        return best;
    }

    // Of some of all poses, and of those tried; capped, since a jump is as bad by 1 cm as by 10.
    double length_change(const WrapObject& object, const Mat3& R,
                         const std::vector<std::size_t>& tried) const {
        double sum = 0.0;
        const auto add = [&](std::size_t k) {
            const double off = length_over(object, {R * all_[k].from, R * all_[k].to}) - wanted_[k];
            sum += std::pow(std::min(std::abs(off), kCapped), 2);
        };
        for (std::size_t k = 0; k < all_.size(); k += kStride * (kNeighbours + 1)) {
            add(k);
        }
        std::for_each(tried.begin(), tried.end(), add);
        return sum;
    }

    const WrapObject& object_;
    Pieces all_;
    Lengths wanted_;
    std::vector<std::size_t> tried_ = {};  // pieces that rule out changes
    Asked asked_ = {};
};

// The cylinder at the same joint of the same muscle of the other side: names are MUSCLE_at_JOINT.
bool are_mirrored(const WrapObject& a, const WrapUse& of_a, const WrapObject& b,
                  const WrapUse& of_b) {
    const std::string& name = of_a.unit->name;
    return mirrored_name(name) == of_b.unit->name && name != of_b.unit->name &&
           mirrored_name(a.name.substr(std::min(name.size(), a.name.size()))) ==
               b.name.substr(std::min(name.size(), b.name.size()));
}

}  // namespace

int make_sides_agree(MusculoskeletalModel& model) {
    const std::vector<WrapUse> uses = uses_of_wraps(model);
    const std::vector<std::vector<WrapPiece>> pieces = pieces_under_wraps(model, uses, kPoses);
    // Left and right together: mirrored in z, which changes no length.
    std::vector<std::vector<std::size_t>> groups;
    std::vector<bool> is_done(model.wraps.size(), false);
    for (std::size_t w = 0; w < model.wraps.size(); ++w) {
        const WrapObject& object = model.wraps[w];
        if (is_done[w] || uses[w].count != 1 || object.kind != WrapKind::Cylinder ||
            object.side_axis != 0 || object.side_sign != 1 || object.has_side_point) {
            continue;
        }
        groups.push_back({w});
        for (std::size_t o = w + 1; o < model.wraps.size(); ++o) {
            const WrapObject& other = model.wraps[o];
            if (uses[o].count == 1 && are_mirrored(object, uses[w], other, uses[o]) &&
                std::abs(other.size[0] / object.size[0] - 1.0) < 0.05) {
                groups.back().push_back(o);
                is_done[o] = true;
            }
        }
    }
    std::vector<Change> changes(groups.size());
    parallel_for(groups.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g) {
            Pieces all;
            for (const std::size_t w : groups[g]) {
                all.insert(all.end(), pieces[w].begin(), pieces[w].end());
            }
            changes[g] = AgreementSearch(model.wraps[groups[g][0]], all).find();
        }
    });
    int changed = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Change& change = changes[g];
        for (const std::size_t w : groups[g]) {
            changed += change.is_none() ? 0 : 1;
            WrapObject& object = model.wraps[w];
            object.placement.rotation = object.placement.rotation * turning(direction(change.turn));
            if (change.radius > 0.0) {
                object.size[0] *= change.radius;
            } else {
                object.is_active = false;
            }
        }
    }
    return changed;
}

}  // namespace sinew
