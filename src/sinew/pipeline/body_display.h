#pragma once

#include "sinew/body/body.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sinew {

/// The surfaces of a body that a viewer switches on and off.
enum class DisplayLayer { Skin = 0, Muscles = 1, Bones = 2, Envelope = 3, Tissues = 4 };
inline constexpr int kDisplayLayers = 5;

/// Triangles of one part of a layer.
struct DisplayPart {
    std::string name;
    std::string kind;        ///< "skin", "muscle", "tendon", "bone", ..., or a tissue
    std::string group = {};  ///< of a muscle
    Eigen::Index first = 0;  ///< triangle
    Eigen::Index count = 0;  ///< triangles
};

struct DisplayMesh {
    Points points = Points(0, 3);  ///< at rest
    Triangles triangles = Triangles(0, 3);
    std::vector<DisplayPart> parts = {};
};

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
        return meshes_[static_cast<std::size_t>(layer)];
    }
    const DisplayLines& fibres() const {
        return fibres_;
    }
    /// Made on request, for it takes seconds.
    void make_fibres(const Body& body);

private:
    std::array<DisplayMesh, kDisplayLayers> meshes_ = {};
    DisplayLines fibres_ = {};
};

/// Moves the meshes of a display with the tetrahedra of a body that is at rest where the display
/// is.
class DisplayDriver {
public:
    DisplayDriver(const BodyDisplay& display, const Body& body);

    /// Points of a layer when the tetrahedra have these points:  rest + E(x) - E(x at rest).
    Points moved(DisplayLayer layer, const Points& x) const;
    /// Values at the vertices of the display's skin, for those of the body's skin.
    std::vector<double> on_body_skin(const std::vector<double>& display_values) const;

private:
    struct Layer {
        EmbeddedPoints embedded = {};
        Points offset = Points(0, 3);  // rest - E(x at rest)
    };
    Tets tets_;
    std::array<Layer, kDisplayLayers> layers_ = {};
    std::vector<Index> skin_vertex_ = {};  // of the display, nearest to each of the body's skin
};

}  // namespace sinew
