#include "sinew/build/tissue_shares.h"

#include "sinew/base/error.h"
#include "sinew/build/tet_contents.h"
#include "sinew/geometry/measure.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

/// Shares below this are counted to the generic tissue.
constexpr double kLeastShare = 1e-5;

Index material_of(const std::vector<TissueMaterial>& materials, Tissue tissue) {
    for (std::size_t i = 0; i < materials.size(); ++i) {
        if (materials[i].tissue == tissue) {
            return static_cast<Index>(i);
        }
    }
    throw InputError({.where = "materials of the anatomy",
                      .found = fmt::format("no material for {} tissue", name_of(tissue)),
                      .needs = "one for each tissue",
                      .remedy = "add it"});
}

std::vector<char> find_flesh(const TetMesh& tets) {
    std::vector<char> is_flesh(static_cast<std::size_t>(tets.tets.rows()), 1);
    for (std::size_t t = 0; t < tets.region.size(); ++t) {
        is_flesh[t] = tets.region[t] == kFatRegion ? 0 : 1;
    }
    return is_flesh;
}

/// Over all flesh, seen along z.
LineLattice lattice_over(const TetMesh& tets, const std::vector<char>& is_flesh,
                         const TissueShareOptions& options) {
    Bounds box;
    for (std::size_t t = 0; t < is_flesh.size(); ++t) {
        for (Eigen::Index k = 0; is_flesh[t] != 0 && k < 4; ++k) {
            box.add(point(tets.points, tets.tets(static_cast<Eigen::Index>(t), k)));
        }
    }
    if (box.is_empty()) {
        box.add(Vec3::Zero());
    }
    const auto cells = [&](int axis) {
        return static_cast<int>(std::ceil(box.size()[axis] / options.spacing)) + 1;
    };
    return {box.low.head<2>(),
            options.spacing,
            {cells(0), cells(1)},
            Seed{static_cast<std::uint64_t>(options.seed)}};
}

class ShareWriter {
public:
    ShareWriter(const std::vector<TissueMaterial>& materials, std::size_t muscles)
        : generic_(material_of(materials, Tissue::Generic)),
          muscle_(material_of(materials, Tissue::Muscle)),
          fat_(material_of(materials, Tissue::Fat)),
          bone_(material_of(materials, Tissue::Bone)),
          tendon_(material_of(materials, Tissue::Tendon)),
          muscles_(static_cast<Index>(muscles)) {}

    void add_fat() {
        add(fat_, -1, 1.0);
        close();
    }

    void add_flesh(std::span<const TetContent> contents) {
        double rest = 1.0;
        for (const TetContent& c : contents) {
            if (c.part >= muscles_) {
                rest -= add(bone_, c.part - muscles_, c.fraction);
            } else {
                rest -= add(muscle_, c.part, c.fraction * (1.0 - c.tendon));
                rest -= add(tendon_, c.part, c.fraction * c.tendon);
            }
        }
        const auto first = static_cast<std::size_t>(shares.start.back());
        if (rest > kLeastShare || first == shares.fraction.size()) {
            add(generic_, -1, std::min(rest, 1.0));
        } else {
            for (std::size_t i = first; i < shares.fraction.size(); ++i) {
                shares.fraction[i] /= 1.0 - rest;
            }
        }
        close();
    }

    TissueShares shares;

private:
    double add(Index material, Index part, double fraction) {
        if (fraction < kLeastShare) {
            return 0.0;
        }
        shares.material.push_back(material);
        shares.part.push_back(part);
        shares.fraction.push_back(fraction);
        return fraction;
    }
    void close() {
        shares.start.push_back(static_cast<Index>(shares.fraction.size()));
    }

    Index generic_, muscle_, fat_, bone_, tendon_;
    Index muscles_;
};

Fibres fibres_of(const TetContents& contents, const std::vector<MuscleField>& fields) {
    Fibres fibres;
    std::vector<Vec3> directions;
    for (std::size_t t = 0; t + 1 < contents.start.size(); ++t) {
        for (Index e = contents.start[t]; e < contents.start[t + 1]; ++e) {
            const TetContent& c = contents.entries[at(e)];
            if (c.fraction >= kLeastShare && static_cast<std::size_t>(c.part) < fields.size()) {
                fibres.muscle.push_back(c.part);
                directions.push_back(fields[at(c.part)].direction(c.centre).normalized());
            }
        }
        fibres.start.push_back(static_cast<Index>(fibres.muscle.size()));
    }
    fibres.direction.resize(static_cast<Eigen::Index>(directions.size()), 3);
    for (std::size_t i = 0; i < directions.size(); ++i) {
        fibres.direction.row(static_cast<Eigen::Index>(i)) = directions[i].transpose();
    }
    return fibres;
}

}  // namespace

TissueSampling sample_tissues(const TetMesh& tets, const std::vector<Muscle>& muscles,
                              const std::vector<MuscleField>& fields,
                              const std::vector<Bone>& bones,
                              const std::vector<TissueMaterial>& materials,
                              const TissueShareOptions& options, const Progress& progress) {
    check_ranges(options, "options of tissue shares");
    const auto count = static_cast<std::size_t>(tets.tets.rows());
    if (fields.size() != muscles.size() || (!tets.region.empty() && tets.region.size() != count)) {
        throw InputError(
            {.where = "tissue shares",
             .found = fmt::format("{} fields for {} muscles, {} labels for {} tets", fields.size(),
                                  muscles.size(), tets.region.size(), count),
             .needs = "one field per muscle, one label per tetrahedron or none",
             .remedy = "compute the fields of these muscles"});
    }
    ShareWriter writer(materials, muscles.size());
    std::vector<const TriangleMesh*> meshes;
    std::vector<double> target;
    for (const Muscle& muscle : muscles) {
        meshes.push_back(&muscle.mesh);
    }
    for (const Bone& bone : bones) {
        meshes.push_back(&bone.mesh);
    }
    for (const TriangleMesh* mesh : meshes) {
        target.push_back(std::max(0.0, enclosed_volume(*mesh)));
    }

    auto stage = progress.stage("tissue shares", meshes.size() + 2);
    const std::vector<char> is_flesh = find_flesh(tets);
    TetContents contents;
    {
        const PartLines lines(meshes, lattice_over(tets, is_flesh, options), stage);
        contents = measure_tets(tets, is_flesh, lines, fields, options.min_lines);
    }
    stage.advance();
    const Eigen::VectorXd volumes = tet_volumes(tets);
    const std::vector<double> sampled = part_volumes(contents, volumes, meshes.size());
    TissueSampling result;
    result.rounds =
        correct_volumes(contents, volumes, target, options.max_rounds, options.tolerance);
    for (std::size_t t = 0; t < count; ++t) {
        if (is_flesh[t] == 0) {
            writer.add_fat();
        } else {
            writer.add_flesh({contents.entries.data() + contents.start[t],
                              contents.entries.data() + contents.start[t + 1]});
        }
    }
    result.shares = std::move(writer.shares);
    result.fibres = fibres_of(contents, fields);
    const std::vector<double> stored = part_volumes(contents, volumes, meshes.size());
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const bool is_muscle = i < muscles.size();
        (is_muscle ? result.muscles : result.bones)
            .push_back({.name = is_muscle ? muscles[i].name : bones[i - muscles.size()].name,
                        .mesh = target[i],
                        .sampled = sampled[i],
                        .stored = stored[i]});
    }
    stage.advance();
    return result;
}

TissueSampling sample_tissues(const TetMesh& tets, const Template& anatomy,
                              const TissueShareOptions& options, const Progress& progress) {
    const std::vector<MuscleField> fields =
        compute_muscle_fields(anatomy.muscles, anatomy.bones, {}, progress);
    return sample_tissues(tets, anatomy.muscles, fields, anatomy.bones, anatomy.materials, options,
                          progress);
}

}  // namespace sinew
