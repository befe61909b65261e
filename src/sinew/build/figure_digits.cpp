#include "sinew/build/figure_digits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

namespace sinew {

namespace {

/// What differs between hand and foot.
struct Plan {
    std::string_view apart;                // a digit that no web joins to the others, or empty
    std::vector<std::string_view> digits;  // neighbours after each other
    std::string_view metapodials;          // their bones end in "2_l", ...
    std::array<int, 2> numbers;            // first and last of those
    double web;                            // where the skin parts, share of the proximal phalanx
    double half_gap;                       // m
    double cut_share;                      // where the region begins, share of the metapodials
};

const Plan& plan_of(Extremity extremity) {
    static const Plan hand{
        .apart = "thumb_l",
        .digits = {"index_finger_l", "middle_finger_l", "ring_finger_l", "little_finger_l"},
        .metapodials = "metacarpal_",
        .numbers = {2, 5},
        .web = 0.27,
        .half_gap = 0.0011,
        .cut_share = 0.0};
    static const Plan foot{
        .apart = "",
        .digits = {"big_toe_l", "second_toe_l", "third_toe_l", "fourth_toe_l", "little_toe_l"},
        .metapodials = "metatarsal_",
        .numbers = {1, 5},
        .web = 0.8,
        .half_gap = 0.0014,
        .cut_share = 0.5};
    return extremity == Extremity::Hand ? hand : foot;
}

const FigurePart* find_part(const FigureTable& table, const std::string& name) {
    const auto found = std::find_if(table.parts.begin(), table.parts.end(),
                                    [&](const FigurePart& part) { return part.name == name; });
    return found == table.parts.end() || found->strokes.empty() ? nullptr : &*found;
}

/// Both ends of the longest stroke of a bone, the one nearer to `near` first.
std::array<Vec3, 2> ends_of(const FigurePart& bone, const Vec3& near) {
    const FigureStroke* longest = &bone.strokes.front();
    const auto length = [](const FigureStroke& s) {
        return (s.stations.back().position - s.stations.front().position).norm();
    };
    for (const FigureStroke& stroke : bone.strokes) {
        if (!stroke.is_cut && length(stroke) > length(*longest)) {
            longest = &stroke;
        }
    }
    std::array<Vec3, 2> ends = {longest->stations.front().position,
                                longest->stations.back().position};
    if ((ends[1] - near).squaredNorm() < (ends[0] - near).squaredNorm()) {
        std::swap(ends[0], ends[1]);
    }
    return ends;
}

constexpr double kOpening = 0.35;  // how fast a cleft widens beyond its web
constexpr double kReach = 0.022;   // m: clefts do not go further from the bones

}  // namespace

DigitClefts::DigitClefts(const FigureTable& table, Extremity extremity) {
    const Plan& plan = plan_of(extremity);
    half_gap_ = plan.half_gap;
    Vec3 tips = Vec3::Zero();
    std::vector<const FigurePart*> proximal;
    const auto shapes_of_digit = [&](std::string_view digit) {
        std::vector<FigureShape> shapes;
        for (const std::string_view row : {"proximal", "middle", "distal"}) {
            const FigurePart* bone =
                find_part(table, std::string(row) + "_phalanx_" + std::string(digit));
            if (bone != nullptr) {
                for (FigureShape& shape : shapes_of(*bone)) {
                    shapes.push_back(std::move(shape));
                }
                if (row == "proximal" && digit != plan.apart) {
                    proximal.push_back(bone);
                }
            }
        }
        return shapes;
    };
    for (const std::string_view digit : plan.digits) {
        digits_.push_back(shapes_of_digit(digit));
    }
    if (!plan.apart.empty()) {
        apart_ = shapes_of_digit(plan.apart);
    }
    for (const FigurePart& part : table.parts) {
        const bool is_toe = part.name.find("_toe_") != std::string::npos;
        if (part.group == kDigitGroup && is_toe == (extremity == Extremity::Foot)) {
            for (FigureShape& shape : shapes_of(part)) {
                sleeves_.push_back(std::move(shape));
            }
        }
    }
    Vec3 bases = Vec3::Zero(), heads = Vec3::Zero();
    bool is_whole = proximal.size() == plan.digits.size();
    if (is_whole) {
        for (const FigurePart* bone : proximal) {
            tips += bone->strokes.front().stations.front().position /
                    static_cast<double>(proximal.size());
        }
    }
    const double bones = plan.numbers[1] - plan.numbers[0] + 1;
    for (int number = plan.numbers[0]; number <= plan.numbers[1]; ++number) {
        const FigurePart* bone =
            find_part(table, std::string(plan.metapodials) + std::to_string(number) + "_l");
        is_whole = is_whole && bone != nullptr;
        if (is_whole) {
            const std::array<Vec3, 2> ends = ends_of(*bone, tips);
            heads += ends[0] / bones;
            bases += ends[1] / bones;
        }
    }
    if (!is_whole || sleeves_.empty()) {
        digits_.clear();
        return;
    }
    for (std::size_t i = 0; i + 1 < proximal.size(); ++i) {
        const std::array<Vec3, 2> a = ends_of(*proximal[i], heads);
        const std::array<Vec3, 2> b = ends_of(*proximal[i + 1], heads);
        webs_.push_back(
            {.point = 0.5 * (a[0] + plan.web * (a[1] - a[0]) + b[0] + plan.web * (b[1] - b[0])),
             .normal = ((a[1] - a[0]).normalized() + (b[1] - b[0]).normalized()).normalized()});
    }
    region_.normal = (heads - bases).normalized();
    if (extremity == Extremity::Foot) {  // upright, through the middle of the foot
        region_.normal = Vec3(region_.normal.x(), 0.0, region_.normal.z()).normalized();
    }
    region_.point = bases + plan.cut_share * (heads - bases);
    // The furthest end of the middle digit, or of the second toe.
    double furthest = -std::numeric_limits<double>::infinity();
    for (const std::string_view row : {"proximal", "middle", "distal"}) {
        const FigurePart* bone =
            find_part(table, std::string(row) + "_phalanx_" + std::string(plan.digits[1]));
        if (bone != nullptr) {
            const Vec3 end = ends_of(*bone, heads)[1];
            if ((end - region_.point).dot(region_.normal) > furthest) {
                furthest = (end - region_.point).dot(region_.normal);
                region_.seed = end;
            }
        }
    }
}

DigitClefts::Place DigitClefts::place_of(const Vec3& x) const {
    double d1 = std::numeric_limits<double>::infinity(), d2 = d1;
    std::size_t first = 0, second = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
        const double d = part_distance(digits_[i], x, FigureLayer::Part);
        if (d < d1) {
            d2 = d1;
            second = first;
            d1 = d;
            first = i;
        } else if (d < d2) {
            d2 = d;
            second = i;
        }
    }
    if (!apart_.empty() && part_distance(apart_, x, FigureLayer::Part) < d1) {
        return {.depth = -kReach, .beyond_web = -kReach};
    }
    const bool are_neighbours = std::max(first, second) == std::min(first, second) + 1;
    const Web& web =
        webs_[are_neighbours ? std::min(first, second) : std::min(first, webs_.size() - 1)];
    const double beyond = (x - web.point).dot(web.normal);
    const double half = std::min(half_gap_, kOpening * beyond);
    return {.depth = are_neighbours ? std::min(half - 0.5 * (d2 - d1), kReach - d1) : -kReach,
            .beyond_web = beyond};
}

double DigitClefts::sleeve_distance(const Vec3& x) const {
    double least = std::numeric_limits<double>::infinity();
    for (const FigureShape& sleeve : sleeves_) {
        least = std::min(least, sleeve.distance(x, FigureLayer::Skin));
    }
    return least;
}

}  // namespace sinew
