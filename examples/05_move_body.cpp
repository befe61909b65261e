// A body walks on the spot. Writes a point cache of its skin, and all parts of the last frame.
//   05_move_body PERSON.sinew [MOTION.bvh]
#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/gltf.h"
#include "sinew/io/point_cache.h"
#include "sinew/pipeline/body_in_motion.h"

#include <cstdio>

using namespace sinew;

int main(int argc, char** argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "usage: 05_move_body PERSON.sinew [MOTION.bvh]\n");
        return 2;
    }
    const Body body = read_archive(argv[1]);

    // What to do: which motion, which surfaces, how many frames.
    BodyMotionJob job;
    job.poses = read_pose_track(body, argc > 2 ? argv[2] : "walk");
    job.layers = {DisplayLayer::TetSkin, DisplayLayer::Muscles, DisplayLayer::Bones};
    job.options = {.rate = 24.0, .frames = 6, .settle = 5};

    // Frames come one by one, so that long motions need no memory.
    const std::vector<double> times = body_frame_times(job);
    PointCacheWriter skin("walk.pc2", times, body.skin.mesh.points.rows());
    Frame last;
    const BodyRun run = run_body_motion(body, job, {}, [&](Frame frame) {
        skin.add(frame.points.at(DisplayLayer::TetSkin));
        last = std::move(frame);
    });
    skin.commit();

    // The last frame as parts with names and colours.
    std::vector<MeshPart> parts;
    for (const DisplayLayer layer : job.layers) {
        for (MeshPart& part : parts_of(display_mesh(body, layer), last.points.at(layer))) {
            parts.push_back(std::move(part));
        }
    }
    write_glb("walk.glb", parts);
    std::printf("%zu frames in walk.pc2, the last one in walk.glb\n", times.size());
    return times.size() == 6 && parts.size() > 500 ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
