#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/build/figure_shape.h"
#include "sinew/meshing/graft.h"

#include <string_view>
#include <vector>

namespace sinew {

/// The group of parts that are skin of single digits: only finer fingers have it.
inline constexpr std::string_view kDigitGroup = "digits";

enum class Extremity { Hand, Foot };

/// The clefts between the fingers, or between the toes, of the left side of a figure: narrow gaps
/// half-way between the bones of neighbours, from the webs on. Skin that only fat, or limbs at rest
/// beside each other, have joined there is parted. The thumb stands apart by itself.
class DigitClefts {
public:
    /// @param table  shaped, in the stance whose skin is wanted
    /// Is empty when the table lacks a finger or a toe, or the skin of these.
    DigitClefts(const FigureTable& table, Extremity extremity);

    bool is_empty() const {
        return digits_.empty();
    }
    struct Place {
        /// Positive within a cleft, m:  w - (d2 - d1) / 2,  with d1 <= d2 the distances to the two
        /// nearest digits and w half the gap, which opens over the first millimetres of it.
        double depth = 0.0;
        double beyond_web = 0.0;  ///< of those two digits, m, negative before it
    };
    Place place_of(const Vec3& x) const;
    /// To the skin of the single digits (parts of the group "digits"), m, negative inside.
    double sleeve_distance(const Vec3& x) const;
    /// The fingers and the palm, or the fore part of the foot.
    const GraftRegion& region() const {
        return region_;
    }

private:
    struct Web {
        Vec3 point = Vec3::Zero();
        Vec3 normal = Vec3::UnitX();  // towards the tips
    };
    std::vector<std::vector<FigureShape>> digits_ = {};
    std::vector<FigureShape> apart_ = {};    // the thumb
    std::vector<FigureShape> sleeves_ = {};  // skin of the digits beyond their webs
    std::vector<Web> webs_ = {};             // between each digit and the next
    double half_gap_ = 0.0;
    GraftRegion region_ = {};
};

}  // namespace sinew
