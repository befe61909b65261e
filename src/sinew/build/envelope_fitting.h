#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/anatomy_solid.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <vector>

namespace sinew {

struct EnvelopeFittingOptions {
    double margin = 0.0006;              ///< kept from muscles and bones, m
    double min_thickness = 0.0008;       ///< of the fat, m
    double thickness_over_edge = 0.045;  ///< of the fat, over the length of the edges around
    double cut_share = 0.75;             ///< of cuts into round parts that is left, [0, 1]
};

/// The last part of shrink_envelope: takes a shrunken skin and makes it one that surfaces and
/// tetrahedra can be made of.
///
/// Every vertex runs on a straight line from the skin, shifted inward by the least thickness (depth
/// 0), to where shrinking put it (depth 1). All that happens is that depths are lowered: where a
/// triangle cuts into a part, where a column of fat folds, where surfaces meet, and where the
/// thickness rises too steeply. At depth 0 everywhere the envelope is a thin offset of the skin; if
/// even that folds somewhere, the least thickness is lowered there.
class EnvelopeFitting {
public:
    /// @param target  the shrunken skin, same vertices
    EnvelopeFitting(const TriangleMesh& skin, Points target, const AnatomySolid& solid,
                    const EnvelopeFittingOptions& options);

    /// @throws InputError  when nothing fits; Cancelled
    void run(const Progress& progress);

    const Points& points() const {
        return points_;
    }
    int backed_off() const;  ///< vertices of a depth below 1

private:
    void place();  ///< points_ from depths
    bool leave_parts();
    void settle_parts();
    bool unfold_columns();
    bool part_surfaces();
    void limit_slopes();
    void mark(const std::array<Index, 3>& corners, std::vector<char>& marks) const;
    bool lower_marked(const std::vector<char>& marks, double factor);

    const TriangleMesh& skin_;
    Points target_;
    const AnatomySolid& solid_;
    EnvelopeFittingOptions options_;
    Lists neighbours_;
    Edges edges_;
    Points inward_;              // unit, at the skin's vertices
    std::vector<double> least_;  // thickness at depth 0, m
    std::vector<double> depth_;  // in [0, 1]
    Points points_ = Points(0, 3);
};

}  // namespace sinew
