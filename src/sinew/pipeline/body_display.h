#pragma once

#include "sinew/body/body_surfaces.h"

#include <array>
#include <vector>

namespace sinew {

/// Line segments along the fibres of the muscles.
struct DisplayLines {
    Points points = Points(0, 3);
    std::vector<std::array<unsigned char, 4>> colours = {};  ///< one per point
    std::vector<std::array<Index, 2>> pairs = {};
};

struct BodyDisplayOptions {
    Eigen::Index skin_triangles = 140000;  ///< a finer skin is made coarser, > 0
};

/// The skin in which a body is shown.
TriangleMesh shown_skin(const Body& body, const BodyDisplayOptions& options = {});

/// The meshes in which a body is shown. They keep their vertices whatever happens to the body, and
/// can be moved by the tetrahedra of any body of the same person: coarse ones while a slider moves,
/// fine ones afterwards.
class BodyDisplay {
public:
    explicit BodyDisplay(const Body& body, const BodyDisplayOptions& options = {});
    /// With a skin that shown_skin() has made.
    BodyDisplay(const Body& body, const TriangleMesh& skin);

    const DisplayMesh& mesh(DisplayLayer layer) const {
        return meshes_.at(layer);
    }
    const DisplayMeshes& meshes() const {
        return meshes_;
    }
    const DisplayLines& fibres() const {
        return fibres_;
    }
    /// Made on request, for it takes seconds.
    void make_fibres(const Body& body);

private:
    DisplayMeshes meshes_ = {};
    DisplayLines fibres_ = {};
};

/// Values at the vertices of a display's skin, for those of a body's skin: the nearest.
class SkinValues {
public:
    SkinValues(const DisplayMesh& display_skin, const Body& body);
    std::vector<double> on_body_skin(const std::vector<double>& display_values) const;

private:
    std::vector<Index> vertex_ = {};  // of the display, for each of the body's skin
};

}  // namespace sinew
