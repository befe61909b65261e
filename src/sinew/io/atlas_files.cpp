#include "sinew/io/atlas_files.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/names.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20;
// m: sizes of bodies from an infant to a giant
constexpr double kSmallest = 0.3, kLargest = 3.0;

[[noreturn]] void refuse(std::string where, std::string found, std::string needs,
                         std::string remedy) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::move(remedy)});
}

/// Of several skins the one asked for stays, else the first.
void choose_skin(const std::string& wanted, const std::string& where, Atlas& atlas) {
    const auto is_skin = [](const AtlasPart& p) { return p.kind == AtlasKind::Skin; };
    auto skin = std::find_if(atlas.parts.begin(), atlas.parts.end(), [&](const AtlasPart& p) {
        return is_skin(p) && p.name == canonical_name(wanted);
    });
    if (skin == atlas.parts.end()) {
        skin = std::find_if(atlas.parts.begin(), atlas.parts.end(), is_skin);
    }
    if (skin == atlas.parts.end()) {
        refuse(where, "no part of the kind 'skin'", "the outer surface of the body",
               "add the skin to the manifest");
    }
    const std::string name = skin->name;
    std::erase_if(atlas.parts, [&](const AtlasPart& p) {
        const bool is_other = is_skin(p) && p.name != name;
        if (is_other) {
            atlas.notes.push_back(
                fmt::format("skin '{}' passed over: '{}' is taken", p.name, name));
        }
        return is_other;
    });
}

void require_files(const std::filesystem::path& folder, const std::string& where,
                   const Atlas& atlas) {
    constexpr std::size_t kShown = 20;
    std::string list;
    std::size_t missing = 0;
    for (const AtlasPart& part : atlas.parts) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(folder / part.file, error)) {
            if (++missing <= kShown) {
                list += (list.empty() ? "" : ", ") + part.file;
            }
        }
    }
    if (missing > 0) {
        list += missing > kShown ? fmt::format(" and {} more", missing - kShown) : "";
        refuse(where, fmt::format("{} of {} files missing: {}", missing, atlas.parts.size(), list),
               "every file that the manifest names",
               "copy the files into the folder, or take their parts out of the manifest");
    }
}

void turn_about_y(Points& points) {
    points.col(0) *= -1.0;
    points.col(2) *= -1.0;
}

void read_meshes(const std::filesystem::path& folder, const ReadOptions& frame, bool faces_back,
                 const Progress& progress, Atlas& atlas) {
    auto stage = progress.stage("read atlas", atlas.parts.size());
    constexpr std::size_t kBatch = 64;
    for (std::size_t begin = 0; begin < atlas.parts.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, atlas.parts.size() - begin);
        parallel_for(count, 1, [&](std::size_t from, std::size_t to) {
            for (std::size_t k = from; k < to; ++k) {
                AtlasPart& part = atlas.parts[begin + k];
                try {
                    part.mesh = merged(read_surface(folder / part.file, frame));
                    part.mesh.point_data.clear();
                    part.mesh.triangle_data.clear();
                    if (part.mesh.triangles.rows() == 0) {
                        part.unreadable = "the file holds no triangles";
                    }
                    if (faces_back) {
                        turn_about_y(part.mesh.points);
                    }
                } catch (const InputError& error) {
                    part.unreadable = error.what();
                }
            }
        });
        stage.advance(count);
    }
}

/// Joints and landmarks stand in the manifest's frame too.
void convert_vectors(const ReadOptions& frame, bool faces_back, Atlas& atlas) {
    const auto convert = [&](Vec3& v, Unit unit) {
        Points one = v.transpose();
        convert_to_metres_y_up(one, {.unit = unit, .up = frame.up});
        if (faces_back) {
            turn_about_y(one);
        }
        v = one.row(0).transpose();
    };
    for (BoneJoint& joint : atlas.joints) {
        convert(joint.joint.centre, frame.unit);
        for (Vec3& axis : joint.joint.axes) {
            convert(axis, Unit::Metre);
        }
    }
    for (Landmark& landmark : atlas.landmarks) {
        convert(landmark.position, frame.unit);
    }
}

std::string unit_that_fits(double size, Unit taken) {
    for (const auto& [unit, name] :
         {std::pair{Unit::Metre, "m"}, {Unit::Centimetre, "cm"}, {Unit::Millimetre, "mm"}}) {
        const double other = size / metres_per(taken) * metres_per(unit);
        if (other > kSmallest && other < kLargest) {
            return fmt::format("say \"unit\": \"{}\" in the manifest", name);
        }
    }
    return "say the right \"unit\" (m, cm, mm) in the manifest, or scale the meshes";
}

/// Another unit or up axis would only show much later, as nonsense.
void require_standing_human(const AtlasPart& skin, const ReadOptions& frame,
                            const std::string& where) {
    const std::string place = fmt::format("{}, skin '{}'", where, skin.file);
    const Vec3 size = bounds(skin.mesh.points).size();
    const double largest = size.maxCoeff();
    if (!(largest > kSmallest && largest < kLargest)) {
        refuse(place, fmt::format("a body of {:.4g} m", largest),
               fmt::format("one of {} to {} m", kSmallest, kLargest),
               unit_that_fits(largest, frame.unit));
    }
    if (size.z() > 1.2 * size.y()) {
        refuse(place,
               fmt::format("a body {:.2f} m high and {:.2f} m deep: it lies on its back or front",
                           size.y(), size.z()),
               "a standing body, Y up",
               frame.up == UpAxis::Y ? "say \"up\": \"z\" in the manifest (or --up z)"
                                     : "say \"up\": \"y\" in the manifest (or --up y)");
    }
}

/// Left parts lie at x > 0, else the body looks backward or is a mirror image.
void require_left_at_positive_x(const Atlas& atlas, const std::string& where) {
    int right_way = 0, wrong_way = 0;
    for (const AtlasPart& part : atlas.parts) {
        const Side side = split_side(part.name).side;
        if (side != Side::Middle && part.unreadable.empty()) {
            const double x = bounds(part.mesh.points).centre().x();
            ((side == Side::Left) == (x > 0.0) ? right_way : wrong_way) += 1;
        }
    }
    if (wrong_way >= 3 && wrong_way > 2 * right_way) {
        refuse(where,
               fmt::format("{} of {} parts on the other side: those called left lie at x < 0",
                           wrong_way, wrong_way + right_way),
               "+X the body's left, +Z forward",
               "say \"front\": \"-z\" in the manifest if the body looks along -Z; else mirror the "
               "meshes");
    }
}

}  // namespace

Atlas read_atlas(const std::filesystem::path& folder, const AtlasReadOptions& options,
                 const Progress& progress) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
        refuse(folder.string(), "no such folder", "a folder with a file atlas.json",
               "check the path");
    }
    const std::filesystem::path path = folder / "atlas.json";
    const std::string where = path.string();
    const std::string text = read_file_bytes(path, kMaxManifestBytes);
    AtlasManifest manifest = parse_atlas_manifest(text, where);
    Atlas atlas = std::move(manifest.atlas);
    ReadOptions frame{.unit = manifest.unit.value_or(Unit::Metre),
                      .up = manifest.up.value_or(UpAxis::Y)};
    frame = options.frame.value_or(frame);
    atlas.inputs.push_back({.name = "atlas.json", .hash = content_hash_text(text)});
    if (const std::string note = conversion_note(frame); !note.empty()) {
        atlas.notes.push_back(note);
    }
    if (manifest.faces_back) {
        atlas.notes.push_back("turned by half a turn about Y, to face +Z");
    }
    choose_skin(options.skin, where, atlas);
    require_files(folder, where, atlas);
    read_meshes(folder, frame, manifest.faces_back, progress, atlas);
    convert_vectors(frame, manifest.faces_back, atlas);

    const auto skin = std::find_if(atlas.parts.begin(), atlas.parts.end(),
                                   [](const auto& p) { return p.kind == AtlasKind::Skin; });
    if (!skin->unreadable.empty()) {
        refuse(fmt::format("{}, skin '{}'", where, skin->file), skin->unreadable,
               "a skin that can be read", "write the mesh again");
    }
    require_standing_human(*skin, frame, where);
    require_left_at_positive_x(atlas, where);
    return atlas;
}

}  // namespace sinew
