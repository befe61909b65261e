#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/skinning/near_skin.h"
#include "sinew/skinning/skin_enclosure.h"
#include "sinew/skinning/skin_untangling.h"
#include "sinew/skinning/skin_upsampling.h"

#include <optional>
#include <vector>

namespace sinew {

/// A fine skin, shown where a coarse one is simulated: upsampled, and kept out of itself by its own
/// triangles. A coarse skin that is free is not enough: between its vertices, and where upsampling
/// rounds a crease, the fine one passes through itself. The simulation knows nothing of it.
class ShownSkin {
public:
    /// @param upsampling  from the simulated skin to the fine one
    /// @param simulated   at rest; its bones are joints
    /// @param fine        at rest, holes closed: rows that close them are shown like others
    /// @param keep_apart  false: as upsampling leaves it
    ShownSkin(SkinUpsampling upsampling, const SkinOnBones& simulated, const TriangleMesh& fine,
              bool keep_apart);

    /// One frame further.
    /// @param simulated  where the vertices of the simulated skin are, m
    /// @param pose       one T_posed_rest per joint
    /// @return the fine skin, m
    const Points& show(const Points& simulated, const CharacterPose& pose);
    /// The next frame starts anew.
    void forget();

    /// As it was shown last.
    const Points& points() const {
        return points_;
    }
    /// Of that skin with itself, by all of its vertices.
    SkinPenetration penetration();

private:
    SkinUpsampling upsampling_;
    NearSkin near_;
    SkinOnBones rest_;
    std::optional<SkinUntangling> untangling_ = {};
    std::optional<SkinEnclosure> enclosure_ = {};  // for `penetration`
    Points points_ = Points(0, 3);
    CharacterPose pose_ = {};  // of the last frame, empty without
};

}  // namespace sinew
