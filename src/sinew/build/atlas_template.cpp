#include "sinew/build/atlas_template.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/base/version.h"
#include "sinew/body/names.h"
#include "sinew/build/atlas_joints.h"
#include "sinew/build/atlas_parts.h"
#include "sinew/build/joint_tree.h"
#include "sinew/build/muscle_course.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

constexpr double kOutside = 0.010;     // m beyond the skin that cannot be a matter of precision
constexpr double kOtherVolume = 0.10;  // share by which a mesh may differ from the manifest
constexpr std::size_t kBatch = 32;     // parts between two reports of progress

bool is_rigid_kind(AtlasKind kind) {
    return kind == AtlasKind::Bone || kind == AtlasKind::Cartilage || kind == AtlasKind::Disc;
}

bool is_flesh_kind(AtlasKind kind) {
    return kind == AtlasKind::Muscle || kind == AtlasKind::Tendon;
}

BoneKind bone_kind(const AtlasPart& part) {
    if (part.kind == AtlasKind::Disc || part.name.starts_with("disc_")) {
        return BoneKind::Disc;
    }
    return part.kind == AtlasKind::Bone ? BoneKind::Bone : BoneKind::Cartilage;
}

/// What the figure knows about a part of the same name.
class KnownMuscles {
public:
    explicit KnownMuscles(const FigureTable& figure) {
        for (const FigurePart& part : figure.parts) {
            if (part.kind != FigureKind::Muscle && part.kind != FigureKind::Tendon) {
                continue;
            }
            add(part, part.name, part.aliases, false);
            if (part.mirror) {
                add(part, right_name(part.name), part.right_aliases, true);
            }
        }
    }

    struct Known {
        const FigurePart* part = nullptr;
        bool is_right = false;
        const std::vector<Alias>* aliases = nullptr;
    };
    const Known* find(const AtlasPart& part) const {
        const auto by_name = known_.find(plain_name(part.name));
        if (by_name != known_.end()) {
            return &by_name->second;
        }
        for (const Alias& alias : part.aliases) {
            if (const auto found = known_.find(plain_name(alias.name)); found != known_.end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

private:
    void add(const FigurePart& part, const std::string& name, const std::vector<Alias>& aliases,
             bool is_right) {
        known_.insert({plain_name(name), {&part, is_right, &aliases}});
        for (const Alias& alias : aliases) {
            if (part.covers.empty()) {
                known_.insert({plain_name(alias.name), {&part, is_right, &aliases}});
            }
        }
    }
    std::map<std::string, Known> known_;
};

/// Mends all parts but the skin, in parallel; the reports are in the order of the parts.
std::vector<MendedMesh> mend_parts(Atlas& atlas, const AtlasTemplateOptions& options,
                                   const Progress& progress) {
    std::vector<MendedMesh> mended(atlas.parts.size());
    // Large ones first, so that no thread is left with one at the end.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return atlas.parts[a].mesh.triangles.rows() > atlas.parts[b].mesh.triangles.rows();
    });
    auto stage = progress.stage("mend parts", order.size());
    for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - begin);
        parallel_for(count, 1, [&](std::size_t from, std::size_t to) {
            for (std::size_t k = from; k < to; ++k) {
                AtlasPart& part = atlas.parts[order[begin + k]];
                MendedMesh& result = mended[order[begin + k]];
                if (!part.unreadable.empty()) {
                    result.reason = part.unreadable;
                    continue;
                }
                try {
                    result = part.kind == AtlasKind::Skin
                                 ? mend_skin(std::move(part.mesh), options)
                                 : mend_part(std::move(part.mesh), options);
                } catch (const InputError& error) {
                    result.reason = error.what();
                }
            }
        });
        stage.advance(count);
    }
    return mended;
}

/// A part most of which lies outside the skin has another unit or another place.
void refuse_outside(const TriangleMesh& skin, std::vector<MendedMesh>& mended,
                    AtlasReport& report) {
    constexpr Eigen::Index kSamples = 60;
    const SignedDistance distance(skin);
    parallel_for(mended.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            MendedMesh& part = mended[i];
            AtlasPartReport& entry = report.parts[i];
            if (!part.reason.empty() || entry.kind == AtlasKind::Skin) {
                continue;
            }
            const Points& points = part.mesh.points;
            const Eigen::Index step = std::max<Eigen::Index>(1, points.rows() / kSamples);
            int outside = 0, looked_at = 0;
            for (Eigen::Index v = 0; v < points.rows(); v += step) {
                outside += distance.at(point(points, v)) > kOutside ? 1 : 0;
                ++looked_at;
            }
            const std::string found =
                fmt::format("{} % of it lies more than {:.0f} mm outside the skin",
                            100 * outside / looked_at, 1e3 * kOutside);
            if (2 * outside > looked_at) {
                entry.reason = part.reason = found;
                entry.is_used = false;
            } else if (outside > 0) {
                entry.doubts.push_back(found);
            }
        }
    });
}

void fill_report(const Atlas& atlas, const std::vector<MendedMesh>& mended, AtlasReport& report) {
    report.parts.clear();
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        const AtlasPart& part = atlas.parts[i];
        const MendedMesh& mesh = mended[i];
        AtlasPartReport entry{.name = part.name,
                              .kind = part.kind,
                              .is_used = mesh.reason.empty(),
                              .reason = mesh.reason,
                              .actions = mesh.actions,
                              .doubts = mesh.doubts};
        const double volume = mesh.reason.empty() ? enclosed_volume(mesh.mesh) : 0.0;
        if (entry.is_used && part.volume > 0.0 &&
            std::abs(volume - part.volume) > kOtherVolume * part.volume) {
            entry.doubts.push_back(fmt::format("its volume is {:.2f} ml, the manifest says {:.2f}",
                                               1e6 * volume, 1e6 * part.volume));
        }
        report.parts.push_back(std::move(entry));
    }
    report.notes = atlas.notes;
}

TriangleMesh take_skin(const Atlas& atlas, std::vector<MendedMesh>& mended) {
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        if (atlas.parts[i].kind != AtlasKind::Skin) {
            continue;
        }
        if (!mended[i].reason.empty()) {
            throw InputError(
                {.where = fmt::format("atlas '{}', skin '{}'", atlas.name, atlas.parts[i].file),
                 .found = mended[i].reason,
                 .needs = "a skin that can be made one closed surface",
                 .remedy = "mend the mesh, or raise skin_gap to close its openings"});
        }
        return std::move(mended[i].mesh);
    }
    throw InputError({.where = fmt::format("atlas '{}'", atlas.name),
                      .found = "no skin",
                      .needs = "the outer surface of the body",
                      .remedy = "add a part of the kind 'skin'"});
}

/// Why bones were left out, the first few of them; nothing is built that would carry the report.
std::string first_reasons(const Atlas& atlas, const std::vector<MendedMesh>& mended) {
    constexpr int kMost = 5;
    std::string list;
    int count = 0;
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        if (is_rigid_kind(atlas.parts[i].kind) && !mended[i].reason.empty() && count++ < kMost) {
            list += fmt::format("{}'{}': {}", count > 1 ? "; " : " (", atlas.parts[i].name,
                                mended[i].reason);
        }
    }
    if (count > kMost) {
        list += fmt::format("; and {} more", count - kMost);
    }
    return list.empty() ? list : list + ")";
}

void add_bones(const Atlas& atlas, std::vector<MendedMesh>& mended, Template& result) {
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        if (is_rigid_kind(atlas.parts[i].kind) && mended[i].reason.empty()) {
            result.bones.push_back({.name = atlas.parts[i].name,
                                    .kind = bone_kind(atlas.parts[i]),
                                    .mesh = std::move(mended[i].mesh),
                                    .aliases = atlas.parts[i].aliases});
        }
    }
    if (result.bones.empty()) {
        throw InputError({.where = fmt::format("atlas '{}'", atlas.name),
                          .found = "no bone that can be used" + first_reasons(atlas, mended),
                          .needs = "at least one bone",
                          .remedy = "mend or add the meshes of the bones"});
    }
}

/// The skeleton, and for each bone the number of joints to the root.
std::vector<int> add_skeleton(const Atlas& atlas, const FigureTable& figure,
                              const Progress& progress, Template& result, AtlasReport& report) {
    const std::string where = fmt::format("atlas '{}'", atlas.name);
    AtlasJoints joints = estimate_joints(result.bones, figure, progress);
    result.landmarks = std::move(joints.landmarks);
    if (!atlas.joints.empty()) {
        joints = complete_joints(result.bones, atlas.joints, atlas.root, where);
    }
    report.notes.insert(report.notes.end(), joints.notes.begin(), joints.notes.end());
    const auto& root_mesh = result.bones[at(find_bone(result.bones, joints.root, where))].mesh;
    const JointTree tree = build_joint_tree(joints.root, joints.joints, where + ", joints",
                                            bounds(root_mesh.points).centre());
    result.skeleton = tree.skeleton;
    std::vector<int> segment_depth(tree.skeleton.segments.size(), 0);
    for (const Joint& joint : tree.skeleton.joints) {
        if (joint.parent >= 0) {
            segment_depth[at(joint.child)] = segment_depth[at(joint.parent)] + 1;
        }
    }
    std::vector<int> depth;
    for (Bone& bone : result.bones) {
        bone.segment = tree.segment_of.at(bone.name);
        depth.push_back(segment_depth[at(bone.segment)]);
    }
    return depth;
}

/// A bone by name; -1 where the atlas has none of that name.
Index bone_named(std::span<const Bone> bones, const std::string& word) {
    for (std::size_t i = 0; i < bones.size(); ++i) {
        if (bones[i].name == word) {
            return static_cast<Index>(i);
        }
    }
    return -1;
}

/// An end as the manifest or the figure gives it. A certain one must exist; a guess may not.
Index hinted_bone(std::span<const Bone> bones, const std::string& given, bool is_sure,
                  const std::string& known, bool is_right, const std::string& where) {
    if (is_sure) {
        return given.empty() ? Index{-1} : find_bone(bones, given, where);
    }
    if (!given.empty()) {
        return bone_named(bones, canonical_name(given));
    }
    const Index own = bone_named(bones, is_right ? mirrored_name(known) : known);
    return own >= 0 ? own : bone_named(bones, known);
}

std::string group_of(const AtlasPart& part, const KnownMuscles::Known* known) {
    std::string group = group_from_atlas(part.group);
    if (group.empty() && known != nullptr) {
        group = group_from_atlas(known->part->group);
    }
    return group;
}

Muscle make_muscle(const AtlasPart& part, TriangleMesh mesh, const KnownMuscles::Known* known) {
    Muscle muscle{.name = part.name,
                  .group = group_of(part, known),
                  .mesh = std::move(mesh),
                  .fmax = part.fmax,
                  .pennation = part.pennation,
                  .is_passive = part.kind == AtlasKind::Tendon,
                  .aliases = part.aliases};
    muscle.volume = enclosed_volume(muscle.mesh);
    if (known != nullptr) {
        muscle.fmax = part.fmax > 0.0 ? part.fmax : known->part->fmax;
        muscle.pennation = part.pennation > 0.0 ? part.pennation : known->part->pennation;
        for (const Alias& alias : *known->aliases) {
            const bool is_there =
                std::any_of(muscle.aliases.begin(), muscle.aliases.end(), [&](const Alias& own) {
                    return own.scheme == alias.scheme && own.name == alias.name;
                });
            if (!is_there && alias.scheme != "fma") {
                muscle.aliases.push_back(alias);
            }
        }
    }
    return muscle;
}

/// What belongs to no group goes with the muscle whose middle is nearest.
void find_groups(std::vector<Muscle>& muscles) {
    std::vector<Vec3> middle;
    std::vector<bool> is_known;
    for (const Muscle& muscle : muscles) {
        middle.push_back(bounds(muscle.mesh.points).centre());
        is_known.push_back(!muscle.group.empty());
    }
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        if (is_known[i]) {
            continue;
        }
        double least = std::numeric_limits<double>::infinity();
        muscles[i].group = "hips";  // where no muscle has a group
        for (std::size_t k = 0; k < muscles.size(); ++k) {
            const double d = (middle[k] - middle[i]).squaredNorm();
            if (is_known[k] && d < least) {
                least = d;
                muscles[i].group = muscles[k].group;
            }
        }
    }
}

void add_muscles(const Atlas& atlas, const KnownMuscles& figure, std::vector<MendedMesh>& mended,
                 const std::vector<int>& depth, const Progress& progress, Template& result) {
    std::vector<const AtlasPart*> parts;
    for (std::size_t i = 0; i < atlas.parts.size(); ++i) {
        if (is_flesh_kind(atlas.parts[i].kind) && mended[i].reason.empty()) {
            parts.push_back(&atlas.parts[i]);
            result.muscles.push_back(make_muscle(atlas.parts[i], std::move(mended[i].mesh),
                                                 figure.find(atlas.parts[i])));
        }
    }
    std::vector<const TriangleMesh*> bones;
    for (const Bone& bone : result.bones) {
        bones.push_back(&bone.mesh);
    }
    const BoneSurface surface(bones);
    auto stage = progress.stage("find muscle ends", parts.size());
    parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const AtlasPart& part = *parts[i];
            Muscle& muscle = result.muscles[i];
            const KnownMuscles::Known* known = figure.find(part);
            const std::string where = fmt::format("atlas '{}', muscle '{}'", atlas.name, part.name);
            const bool is_right = known != nullptr && known->is_right;
            const std::string none;
            CourseHints hints;
            hints.origin =
                hinted_bone(result.bones, part.origin, part.is_origin_sure,
                            known ? known->part->origin : none, is_right, where + ", origin");
            hints.insertion =
                hinted_bone(result.bones, part.insertion, part.is_insertion_sure,
                            known ? known->part->insertion : none, is_right, where + ", insertion");
            hints.may_find_origin = !part.is_origin_sure;
            hints.may_find_insertion = !part.is_insertion_sure;
            MuscleCourse course = find_course(muscle.mesh, hints, bones, surface, depth);
            muscle.origin = course.origin;
            muscle.insertion = course.insertion;
            muscle.belly_begin = part.belly ? (*part.belly)[0] : course.belly_begin;
            muscle.belly_end = part.belly ? (*part.belly)[1] : course.belly_end;
            if (muscle.is_passive && !part.belly) {
                muscle.belly_begin = muscle.belly_end = 0.0;  // tendon all the way
            }
            set_share(std::move(course.share), muscle.belly_begin, muscle.belly_end, muscle.mesh);
        }
    });
    stage.advance(parts.size());
    find_groups(result.muscles);
}

/// The manifest's landmarks and then the figure's, on the skin.
void place_landmarks(const Atlas& atlas, Template& result) {
    std::vector<Landmark> all = atlas.landmarks;
    for (Landmark& landmark : result.landmarks) {
        const bool is_given = std::any_of(
            all.begin(), all.end(), [&](const Landmark& l) { return l.name == landmark.name; });
        if (!is_given) {
            all.push_back(std::move(landmark));
        }
    }
    for (Landmark& landmark : all) {
        Eigen::Index nearest = 0;
        (result.skin.points.rowwise() - landmark.position.transpose())
            .rowwise()
            .squaredNorm()
            .minCoeff(&nearest);
        landmark.skin_vertex = static_cast<Index>(nearest);
        landmark.position = point(result.skin.points, nearest);
    }
    result.landmarks = std::move(all);
}

}  // namespace

Template build_atlas_template(Atlas atlas, const FigureTable& figure,
                              const AtlasTemplateOptions& options, const Progress& progress,
                              AtlasReport& report) {
    check_ranges(options, "atlas options");
    const Timer timer;
    std::vector<MendedMesh> mended = mend_parts(atlas, options, progress);
    Template result;
    result.name = atlas.name;
    result.sex = atlas.sex;
    fill_report(atlas, mended, report);  // also when what follows throws
    result.skin = take_skin(atlas, mended);
    refuse_outside(result.skin, mended, report);
    add_bones(atlas, mended, result);
    const std::vector<int> depth = add_skeleton(atlas, figure, progress, result, report);
    add_muscles(atlas, KnownMuscles(figure), mended, depth, progress, result);
    place_landmarks(atlas, result);
    result.materials = tissue_materials();
    result.provenance.program = fmt::format("sinew {}", version());
    result.provenance.inputs = atlas.inputs;
    result.provenance.attribution = atlas.attribution;
    result.provenance.notes = report.notes;
    require_valid(result, fmt::format("atlas '{}'", atlas.name));
    report.seconds = timer.seconds();
    return result;
}

}  // namespace sinew
