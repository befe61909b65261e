#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/render/camera.h"
#include "sinew/render/image.h"
#include "sinew/render/scene.h"

#include <concepts>
#include <optional>
#include <string>

namespace sinew {

/// Which side of the body a cut takes away.
enum class CutSide { None, Left, Right, Front, Back, Top, Bottom };
enum class Backdrop { Studio, White, Dark };

struct RenderOptions {
    int width = 1200;   ///< pixels, 1 ..
    int height = 1600;  ///< pixels, 1 ..
    View view = View::Front;
    double turn = 0.0;            ///< added to the view's azimuth, degrees; towards the body's left
    double tilt = 0.0;            ///< added to the view's elevation, degrees; towards above
    double field_of_view = 14.0;  ///< vertical, degrees; 0 = parallel rays
    double margin = 0.05;         ///< free fraction of the picture on every side, [0, 0.45]
    std::string focus = {};       ///< names of parts to fill the picture with; empty = all
    std::string layers = {};      ///< "skin,muscles,bones" ...; empty = all
    double skin_opacity = 1.0;    ///< [0, 1]
    CutSide cut = CutSide::None;
    double cut_at = 0.0;          ///< position of the cut along its axis, m
    std::string cut_layers = {};  ///< layers that the cut applies to; empty = all
    bool wireframe = false;       ///< edges of triangles on top
    bool ground = true;           ///< a floor that catches soft shadows
    Backdrop backdrop = Backdrop::Studio;
    double exposure = 1.0;     ///< scales all light, (0, 10]
    int samples = 4;           ///< rays through a plain pixel; outlines get four times as many
    bool colour_bar = true;    ///< where the scene has a scalar map
    std::string caption = {};  ///< written below
    std::optional<CutPlane> cut_plane = {};  ///< instead of `cut`
    std::optional<Camera> camera = {};       ///< instead of view, turn, tilt, margin and focus
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RenderOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.width, Field{.name = "width", .help = "of the picture", .unit = "pixels", .min = 1});
    v(o.height, Field{.name = "height", .help = "of the picture", .unit = "pixels", .min = 1});
    v(o.view, Field{.name = "view",
                    .help = "where the beholder stands",
                    .choices = {"front", "back", "left", "right", "three-quarter", "top"}});
    v(o.turn, Field{.name = "turn",
                    .help = "added to the view, towards the body's left",
                    .unit = "degrees",
                    .min = -360,
                    .max = 360});
    v(o.tilt, Field{.name = "tilt",
                    .help = "added to the view, towards above",
                    .unit = "degrees",
                    .min = -180,
                    .max = 180});
    v(o.field_of_view, Field{.name = "field_of_view",
                             .help = "vertical opening; 0 for parallel rays",
                             .unit = "degrees",
                             .min = 0,
                             .max = 120});
    v(o.margin, Field{.name = "margin",
                      .help = "fraction of the picture that stays free on every side",
                      .min = 0,
                      .max = 0.45});
    v(o.focus, Field{.name = "focus", .help = "names of parts to fill the picture with"});
    v(o.layers, Field{.name = "layers", .help = "kinds to draw, as in skin,muscles,bones"});
    v(o.skin_opacity, Field{.name = "skin_opacity", .help = "of the skin", .min = 0, .max = 1});
    v(o.cut, Field{.name = "cut",
                   .help = "side of the body to cut away",
                   .choices = {"none", "left", "right", "front", "back", "top", "bottom"}});
    v(o.cut_at, Field{.name = "cut_at", .help = "position of the cut", .unit = "m"});
    v(o.cut_layers, Field{.name = "cut_layers", .help = "kinds that are cut"});
    v(o.wireframe, Field{.name = "wireframe", .help = "edges of triangles on top"});
    v(o.ground, Field{.name = "ground", .help = "a floor that catches soft shadows"});
    v(o.backdrop,
      Field{.name = "backdrop", .help = "behind the body", .choices = {"studio", "white", "dark"}});
    v(o.exposure, Field{.name = "exposure", .help = "scales all light", .max = 10, .above = 0});
    v(o.samples,
      Field{.name = "samples", .help = "rays through a plain pixel", .min = 1, .max = 1024});
    v(o.colour_bar, Field{.name = "colour_bar", .help = "legend of the scalar map"});
    v(o.caption, Field{.name = "caption", .help = "written below the picture"});
}

/// Draws the scene. The bytes depend on scene and options only, never on the number of threads.
/// @throws InputError  for options out of range, a picture too large, parts that are not finite,
///                     unknown layers or names
Image render(const Scene& scene, const RenderOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
