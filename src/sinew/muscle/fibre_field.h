#pragma once

#include "sinew/geometry/tet_locator.h"
#include "sinew/mesh/tet_mesh.h"

#include <span>
#include <vector>

namespace sinew {

/// Where fibres of a muscle run, whatever they were made from.
class FibreField {
public:
    virtual ~FibreField() = default;
    /// Unit vector from origin to insertion at a position of the rest shape, m.
    virtual Vec3 direction(const Vec3& at) const = 0;
};

/// The fibre field at the centroids of tetrahedra, one row each. In parallel.
Points fibre_directions(const FibreField& field, const TetMesh& mesh);

/// How two sets of directions differ.
struct FibreDifference {
    double mean = 0.0;    ///< rad, weighted by volume
    double median = 0.0;  ///< rad
    double p95 = 0.0;     ///< rad, exceeded in 5 % of the tetrahedra
};
FibreDifference compare_fibres(const Points& a, const Points& b, const TetMesh& mesh);

/// Fibres as the flow from origin to insertion through the muscle's tetrahedra
/// [Saito2015, section 3.1.1]:
///
///   div grad u = 0,   u = 0 at the origin,   u = 1 at the insertion,   grad u . n = 0 elsewhere,
///   direction = grad u / |grad u|
class LaplaceFibres final : public FibreField {
public:
    /// Every connected piece of the mesh must have vertices of both ends.
    /// @throws InputError  when an end is empty, or a piece lacks one
    LaplaceFibres(const TetMesh& mesh, std::span<const Index> origin,
                  std::span<const Index> insertion);

    Vec3 direction(const Vec3& at) const override;

    const std::vector<double>& potential() const {
        return potential_;
    }
    /// grad u per tetrahedron, 1/m.
    const Points& gradient() const {
        return gradient_;
    }
    /// Flow through every section, m: integral of |grad u|^2 over the volume.
    double flow() const {
        return flow_;
    }

private:
    TetLocator locator_;
    std::vector<double> potential_ = {};
    Points gradient_ = Points(0, 3);
    double flow_ = 0.0;
};

}  // namespace sinew
