#pragma once

#include "sinew/base/fields.h"
#include "sinew/fit/layers.h"

#include <concepts>
#include <memory>
#include <optional>

namespace sinew {

struct TransferOptions {
    int centres = 5000;  ///< of the flesh's warp at most, >= 50; factorising goes with the cube
    int bone_centres = 3000;  ///< of the bones' warp at most, >= 50
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TransferOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.centres,
      Field{.name = "centres", .help = "of the flesh's warp at most", .min = 50, .max = 12000});
    v(o.bone_centres,
      Field{.name = "bone_centres", .help = "of the bones' warp at most", .min = 50, .max = 12000});
}

/// Where the three layers of a person are, in the triangulation of the template.
struct PersonLayers {
    Points skin = Points(0, 3);    ///< S, m
    Points muscle = Points(0, 3);  ///< M
    Points bone = Points(0, 3);    ///< B; as M in kept regions
};

struct TransferReport {
    Eigen::Index centres = 0;
    Eigen::Index inverted_before = 0;  ///< tetrahedra that the warp turned inside out
    Eigen::Index inverted_tets = 0;    ///< of the body returned
    Eigen::Index skin_crossings = 0;   ///< pairs of triangles of its skin
    double muscle_factor = 1.0;        ///< of muscles in tetrahedra with loose tissue
    Eigen::Index bones_drawn_in = 0;   ///< vertices that would have left the skin
    double skin_moved = 0.0;           ///< m, the furthest that mending moved a vertex of the skin
    double seconds = 0.0;
};

struct TransferredBody {
    Body body;
    TransferReport report;
};

/// Carries the whole anatomy of a body into other layers [Komaritzan, eq. 4.15]: a triharmonic warp
/// (geometry/rbf_warp.h) that takes M and B of the template to those of the person moves the
/// tetrahedra's points inside M; another, of B alone, bones, attachments and joints
/// (fit/bone_transfer.h). Skin and envelope are set where they are to be. Muscles, landmarks and
/// the display skin follow the tetrahedra, fibres rotate with them. Fractions are kept unless a
/// muscle mass is asked for; strengths go with cross-sections, volume over length of fibres.
/// Tetrahedra that the warp turned inside out are mended (meshing/inversions.h).
///
/// Centres depend on the template alone: they are factorised once, for all people.
class AnatomyTransfer {
public:
    /// @param layers  of the body; both are copied as far as needed, `body` must outlive this
    /// @throws InputError  when the layers are not those of the body; Cancelled
    AnatomyTransfer(const Body& body, const LayeredTemplate& layers,
                    const TransferOptions& options = {}, const Progress& progress = {});
    ~AnatomyTransfer();
    AnatomyTransfer(AnatomyTransfer&&) noexcept;
    AnatomyTransfer& operator=(AnatomyTransfer&&) noexcept;

    /// Masses of segments are not weighed anew (build/segment_masses.h).
    /// @param muscle_kg    of muscles with tendons; what the layers do not give is exchanged for
    ///                     loose tissue in the same tetrahedra, as growth does, within limits
    /// @throws InputError  when numbers of vertices differ or are not finite
    TransferredBody to(const PersonLayers& person, std::optional<double> muscle_kg = {}) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// `count` rows of `points`, each the farthest from those before; the first is the one nearest to
/// their centre. Ends early where all that are left coincide with one of them.
std::vector<Index> farthest_points(const Points& points, Eigen::Index count);

}  // namespace sinew
