#pragma once

#include "sinew/build/atlas_template.h"

#include <string>
#include <vector>

namespace sinew {

/// A mesh of an atlas after it was mended.
struct MendedMesh {
    TriangleMesh mesh = {};                 ///< closed, 2-manifold, outward; or empty
    std::vector<std::string> actions = {};  ///< what was done
    std::vector<std::string> doubts = {};   ///< what is still less than right
    std::string reason = {};                ///< why it cannot be used; empty when it can
};

/// Makes one bone or muscle closed and, where it can, free of self-intersections. Vertices are
/// never joined on a surface that is closed already; soups are joined along their borders. In this
/// order: repair(); where that leaves it open, the solid of its winding number by a level set;
/// where it intersects itself, vertices near by are smoothed and moved out; where that does not
/// help, a level set again, if that keeps the volume. What still intersects itself afterwards is
/// used as it is.
MendedMesh mend_part(TriangleMesh mesh, const AtlasTemplateOptions& options);

/// Makes the skin one closed piece of genus 0 without self-intersections. A skin that is so already
/// is left as it is. Otherwise it is rebuilt on a grid: what the outer air does not reach through
/// openings wider than twice `skin_gap` is inside (mouths, inner layers), the largest piece stays,
/// and handles (an arm that touches the trunk) are cut where they are thinnest.
MendedMesh mend_skin(TriangleMesh mesh, const AtlasTemplateOptions& options);

}  // namespace sinew
