// The whole flow as code: template, body, grown, posed, surfaces, file.
// Writes person.sinew (for other examples) and person.glb (for any viewer).
#include "sinew/sinew.h"

#include <cstdio>

using namespace sinew;

int main() try {
    // Template: the anatomy that all people share, made of a table of measured figures.
    const FigureOptions figure = figure_for({.sex = FigureSex::Female}, BodyResolution::Preview);
    const auto [anatomy, plain_skin] =
        build_figure_with_plain_skin(read_figure(data_folder() / "figure"), figure);

    // Body: one person at rest, filled with tetrahedra of muscle, fat and bone.
    const Body body = build_body(anatomy, plain_skin, {.resolution = BodyResolution::Preview});

    // Growth returns another body: another rest shape.
    const GrowthPlan plan = {
        .muscles = {{"biceps", 1.3}, {"quadriceps", 1.2}},
        .fat = {{"belly", 1.5}},
        .stature = 1.75,
    };
    const GrowthResult grown = grow(body, plan);
    for (const std::string& warning : grown.warnings) {
        std::printf("warning: %s\n", warning.c_str());
    }
    std::printf("%.2f m, %.1f kg, %.0f %% fat\n", grown.stature, grown.mass, 100 * grown.body_fat);
    write_archive("person.sinew", grown.body);

    // Pose: joint coordinates, in rad. Flesh follows the bones and gives the state of the body.
    const std::vector<PosableJoint> joints = posable_joints(grown.body);
    const Pose pose = pose_from_angles(grown.body, joints,
                                       {{"elbow_l", {1.8, 0.0, 0.0}}, {"hip_r", {0.9, 0.0, 0.0}}});
    BodySkinning flesh(grown.body);
    flesh.reset(joint_motions(grown.body.skeleton, pose), 20);

    // Surfaces of the body in that state, as named parts; then a file.
    const std::vector<DisplayLayer> layers = {DisplayLayer::Skin, DisplayLayer::Muscles,
                                              DisplayLayer::Bones};
    const std::vector<MeshPart> parts = surfaces_at(grown.body, flesh.state(), layers);
    write_glb("person.glb", parts);
    std::printf("%zu parts in person.glb\n", parts.size());
    return parts.size() > 500 ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
