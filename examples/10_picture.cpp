// A picture without a file in between: the built-in human's bones and muscles from three sides.
// Writes ecorche.png, or what the first argument names.
#include "sinew/base/error.h"
#include "sinew/build/figure.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/png.h"
#include "sinew/render/render.h"

#include <cstdio>

using namespace sinew;

int main(int count, char** arguments) try {
    const Template anatomy = build_figure(read_figure(data_folder() / "figure"), {});

    // The kind of a surface gives its colour and finish.
    Scene scene;
    for (const Bone& bone : anatomy.bones) {
        scene.surfaces.push_back(
            {.name = bone.name, .kind = std::string(name_of(bone.kind)), .mesh = bone.mesh});
    }
    for (const Muscle& muscle : anatomy.muscles) {
        scene.surfaces.push_back({.name = muscle.name,
                                  .kind = muscle.is_passive ? "tendon" : "muscle",
                                  .mesh = muscle.mesh});
    }

    std::vector<SheetPicture> pictures;
    for (const auto& [view, caption] :
         {std::pair(View::Front, "front"), std::pair(View::ThreeQuarter, "three-quarter"),
          std::pair(View::Back, "back")}) {
        pictures.push_back({.image = render(scene, {.width = 500, .height = 800, .view = view}),
                            .caption = caption});
    }
    const char* file = count > 1 ? arguments[1] : "ecorche.png";
    write_file_bytes(file, encode_png(contact_sheet(pictures)));
    std::printf("%s: %zu bones, %zu muscles\n", file, anatomy.bones.size(), anatomy.muscles.size());
    return 0;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
