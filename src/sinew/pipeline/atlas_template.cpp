#include "sinew/pipeline/atlas_template.h"

#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"

namespace sinew {

Template read_atlas_template(const std::filesystem::path& folder,
                             const AtlasReadOptions& read_options,
                             const AtlasTemplateOptions& options, const Progress& progress,
                             AtlasReport& report) {
    Atlas atlas = read_atlas(folder, read_options, progress);
    const FigureTable figure = read_figure(data_folder() / "figure");
    return build_atlas_template(std::move(atlas), figure, options, progress, report);
}

}  // namespace sinew
