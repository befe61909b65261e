#include "sinew/motion/wrap_agreement.h"

#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/names.h"
#include "sinew/motion/wrapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace sinew {

namespace {

constexpr int kPoses = 2000;
constexpr double kBeyondEnds = 0.25;  // of a range, by which draws go beyond its ends
constexpr double kApart = 5e-4;       // m, by which rules disagree
constexpr double kCapped = 5e-3;      // m, what a jump counts at most
constexpr int kDirections = 36;       // round a cylinder
constexpr int kMostTurned = 9;        // of these, to either side
constexpr std::array kRadii = {1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5};

using Lengths = std::vector<double>;

// The ends of a piece of a path in the frame of the surface that it goes over.
struct Piece {
    Vec3 from;
    Vec3 to;
};

double length_over(const WrapObject& object, const Piece& piece) {
    const SurfaceWrap wrap = wrap_segment(object, piece.from, piece.to);
    return wrap.wraps
               ? (wrap.begin - piece.from).norm() + wrap.length + (piece.to - wrap.end).norm()
               : (piece.to - piece.from).norm();
}

Lengths lengths_over(const WrapObject& object, const std::vector<Piece>& pieces) {
    Lengths out;
    out.reserve(pieces.size());
    for (const Piece& piece : pieces) {
        out.push_back(length_over(object, piece));
    }
    return out;
}

// The cylinder with MuJoCo's rule, its side point in a direction.
WrapObject with_side(WrapObject object, double angle) {
    object.side_sign = 0;
    object.has_side_point = true;
    object.side_point = 2.0 * object.size[0] * Vec3(std::cos(angle), std::sin(angle), 0.0);
    return object;
}

WrapObject turned(WrapObject object, double angle) {
    object.placement.rotation =
        object.placement.rotation * Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    return object;
}

// The same pieces seen from the cylinder after it turned.
std::vector<Piece> turned(std::vector<Piece> pieces, double angle) {
    const Mat3 R = Eigen::AngleAxisd(-angle, Vec3::UnitZ()).toRotationMatrix();
    for (Piece& piece : pieces) {
        piece = {R * piece.from, R * piece.to};
    }
    return pieces;
}

int count_apart(const Lengths& a, const Lengths& b) {
    int count = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        count += std::abs(a[k] - b[k]) > kApart ? 1 : 0;
    }
    return count;
}

// Pieces that go more than half round the cylinder, which no muscle does.
int count_wound(const WrapObject& object, const std::vector<Piece>& pieces) {
    return static_cast<int>(std::count_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        const SurfaceWrap wrap = wrap_segment(object, piece.from, piece.to);
        const double along = wrap.end.z() - wrap.begin.z();
        return wrap.wraps &&
               wrap.length * wrap.length > std::pow(kPi * object.size[0], 2) + along * along;
    }));
}

double capped_difference(const Lengths& a, const Lengths& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum += std::pow(std::min(std::abs(a[k] - b[k]), kCapped), 2);
    }
    return sum;
}

double direction(int k) {
    return 2.0 * kPi * k / kDirections;
}

struct Change {
    double radius = 1.0;  // times the one there is
    double angle = 0.0;   // rad, about the cylinder's axis
};

// Looks for the least change of a cylinder with which both rules agree.
class AgreementSearch {
public:
    AgreementSearch(const WrapObject& object, const std::vector<Piece>& pieces)
        : object_(object), pieces_(pieces), wanted_(lengths_over(object, pieces)) {}

    Change find() {
        if (agrees_already()) {
            return {};
        }
        for (const double radius : kRadii) {
            try_radius(radius);
            if (std::get<0>(least_) == 0 && std::get<1>(least_) == 0) {
                break;
            }
        }
        return best_;
    }

private:
    // Poses where rules disagree or the path winds itself up; the same for directions to either
    // side, so that poses which nobody drew agree as well; change of lengths, m^2.
    using Badness = std::tuple<int, int, double>;

    // With a side point in the middle of the half or beside it, as most do.
    bool agrees_already() const {
        for (const int k : {0, 1, -1}) {
            if (count_apart(wanted_, lengths_over(with_side(object_, direction(k)), pieces_)) > 0) {
                return false;
            }
        }
        return count_wound(object_, pieces_) == 0;
    }

    void try_radius(double radius) {
        WrapObject object = object_;
        object.size[0] *= radius;
        std::vector<Lengths> sided;
        for (int k = 0; k < kDirections; ++k) {
            sided.push_back(lengths_over(with_side(object, direction(k)), pieces_));
        }
        for (int step = 0; step <= 2 * kMostTurned; ++step) {
            // 0, 1, -1, 2, -2, ...
            const int turn = step % 2 == 0 ? -step / 2 : (step + 1) / 2;
            const std::vector<Piece> seen = turned(pieces_, direction(turn));
            const Lengths halves = lengths_over(object, seen);
            std::array<int, kDirections> counts{};
            for (std::size_t k = 0; k < counts.size(); ++k) {
                counts[k] = count_apart(halves, sided[k]);
            }
            const int wound = count_wound(object, seen);
            int apart = 1 << 30;
            int beside = 1 << 30;
            for (std::size_t k = 0; k < counts.size(); ++k) {
                const int both = counts[(k + counts.size() - 1) % counts.size()] +
                                 counts[(k + 1) % counts.size()];
                if (std::tie(counts[k], both) < std::tie(apart, beside)) {
                    apart = counts[k];
                    beside = both;
                }
            }
            const double changed = capped_difference(halves, wanted_);
            const Badness badness = {apart + wound, beside, changed};
            if (badness < least_) {
                least_ = badness;
                best_ = {radius, direction(turn)};
            }
        }
    }

    const WrapObject& object_;
    const std::vector<Piece>& pieces_;
    Lengths wanted_;
    Badness least_ = {1 << 30, 0, 0.0};
    Change best_ = {};
};

std::vector<ModelPlacement> random_placements(const MusculoskeletalModel& model,
                                              const KinematicTree& tree) {
    Random random(Seed{13});
    std::vector<ModelPlacement> out;
    for (int p = 0; p < kPoses; ++p) {
        std::vector<double> q = rest_coordinates(model);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const Coordinate& k = model.coordinates[c];
            if (!k.is_locked && std::isfinite(k.low) && std::isfinite(k.high)) {
                // Ends of ranges often, since paths flip there.
                const double share =
                    std::clamp(random.uniform(-kBeyondEnds, 1.0 + kBeyondEnds), 0.0, 1.0);
                q[c] = k.low + share * (k.high - k.low);
            }
        }
        out.push_back(tree.place(q));
    }
    return out;
}

// The piece that one surface lies under.
struct Use {
    const MuscleUnit* unit = nullptr;
    Index first = 0;
    int count = 0;  // of pieces and muscles; only 1 is looked at
};

std::vector<Use> uses_of(const MusculoskeletalModel& model) {
    std::vector<Use> uses(model.wraps.size());
    for (const MuscleUnit& unit : model.muscles) {
        for (const PathWrap& wrap : unit.wraps) {
            Use& use = uses[at(wrap.object)];
            const bool is_one_piece = wrap.last == wrap.first + 1;
            const bool is_alone =
                std::count_if(unit.wraps.begin(), unit.wraps.end(), [&](const PathWrap& other) {
                    return other.first == wrap.first;
                }) == 1;
            const auto is_plain = [&](Index k) { return unit.points[at(k)].anchors.size() == 1; };
            const bool is_simple =
                is_one_piece && is_alone && is_plain(wrap.first) && is_plain(wrap.last);
            use = {&unit, wrap.first, use.count + (is_simple ? 1 : 2)};
        }
    }
    return uses;
}

std::vector<Piece> pieces_of(const WrapObject& object, const Use& use,
                             const std::vector<ModelPlacement>& poses) {
    std::vector<Piece> out;
    for (const ModelPlacement& pose : poses) {
        const Placement T =
            object.body < 0 ? object.placement : pose.bodies[at(object.body)] * object.placement;
        const auto seen = [&](Index k) {
            const PathPoint::Anchor& anchor = use.unit->points[at(k)].anchors[0];
            return Vec3(T.inverse() * (anchor.body < 0
                                           ? anchor.position
                                           : Vec3(pose.bodies[at(anchor.body)] * anchor.position)));
        };
        out.push_back({seen(use.first), seen(use.first + 1)});
    }
    return out;
}

// The cylinder at the same joint of the same muscle of the other side: names are MUSCLE_at_JOINT.
bool are_mirrored(const WrapObject& a, const Use& of_a, const WrapObject& b, const Use& of_b) {
    const std::string& name = of_a.unit->name;
    return mirrored_name(name) == of_b.unit->name && name != of_b.unit->name &&
           mirrored_name(a.name.substr(std::min(name.size(), a.name.size()))) ==
               b.name.substr(std::min(name.size(), b.name.size()));
}

}  // namespace

int make_sides_agree(MusculoskeletalModel& model) {
    const KinematicTree tree(model);
    const std::vector<ModelPlacement> poses = random_placements(model, tree);
    const std::vector<Use> uses = uses_of(model);
    std::vector<bool> is_done(model.wraps.size(), false);
    int changed = 0;
    for (std::size_t w = 0; w < model.wraps.size(); ++w) {
        const WrapObject object = model.wraps[w];
        if (is_done[w] || uses[w].count != 1 || object.kind != WrapKind::Cylinder ||
            object.side_axis != 0 || object.side_sign != 1 || object.has_side_point) {
            continue;
        }
        // Left and right together: mirrored in z, which changes no length.
        std::vector<std::size_t> both = {w};
        std::vector<Piece> pieces = pieces_of(object, uses[w], poses);
        for (std::size_t o = w + 1; o < model.wraps.size(); ++o) {
            const WrapObject& other = model.wraps[o];
            if (uses[o].count == 1 && are_mirrored(object, uses[w], other, uses[o]) &&
                std::abs(other.size[0] / object.size[0] - 1.0) < 0.05) {
                const std::vector<Piece> more = pieces_of(other, uses[o], poses);
                pieces.insert(pieces.end(), more.begin(), more.end());
                both.push_back(o);
            }
        }
        const Change change = AgreementSearch(object, pieces).find();
        for (const std::size_t o : both) {
            is_done[o] = true;
            if (change.radius != 1.0 || change.angle != 0.0) {
                model.wraps[o] = turned(model.wraps[o], change.angle);
                model.wraps[o].size[0] *= change.radius;
                ++changed;
            }
        }
    }
    return changed;
}

}  // namespace sinew
