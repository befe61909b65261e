#pragma once

#include "sinew/body/posable_joints.h"
#include "sinew/pipeline/body_display.h"

#include <array>
#include <memory>
#include <vector>

#include "studio/server/catalogue.h"

namespace sinew::studio {

/// One person, as shown and as solved. Never changes once it is made, but for the fibres, which
/// belong to the quick worker.
struct Scene {
    Body body;  ///< at rest, as solved while sliders move
    std::shared_ptr<BodyDisplay> display;
    BodySurfaces surfaces;   ///< the display's meshes on the body's tetrahedra
    SkinValues skin_values;  ///< what is painted on the display, for the body
    std::vector<PosableJoint> joints;
    Json catalogue;
    Json before;                 ///< measures at rest, of the finest body
    Json before_here;            ///< of `body`
    EmbeddedPoints fibres = {};  ///< where the display's are in `body`, once they are made

    Scene(Body b, const TriangleMesh& skin)
        : body(std::move(b)),
          display(std::make_shared<BodyDisplay>(body, skin)),
          surfaces(body, display->meshes()),
          skin_values(display->mesh(DisplayLayer::Skin), body),
          joints(posable_joints(body)),
          catalogue(catalogue_of(body, *display)),
          before(measures_of(body)),
          before_here(before) {}

    /// The same person, shown alike, with another body to solve.
    Scene(const Scene& other, Body b)
        : body(std::move(b)),
          display(other.display),
          surfaces(body, display->meshes()),
          skin_values(display->mesh(DisplayLayer::Skin), body),
          joints(other.joints),
          catalogue(other.catalogue),
          before(other.before),
          before_here(measures_of(body)) {}

    /// Measures of a body grown from `body`, as the finest one would have them: its own at rest,
    /// and the difference that growth made.
    Json measures_like_finest(const Body& grown) const;
};

/// Displacements of each layer; none where there is nothing.
using Correction = std::array<std::shared_ptr<const Points>, kDisplayLayers>;

}  // namespace sinew::studio
