#include "sinew/body/tissue_cells.h"

#include <algorithm>
#include <array>
#include <map>

namespace sinew {

namespace {

struct Cell {
    int tissue = 0;
    Index muscle = -1;
    double muscle_fraction = 0.0;
    double bone_fraction = 0.0;
};

Cell cell_of(const Body& body, std::size_t t) {
    std::array<double, kTissueCount> tissues = {};
    std::map<Index, double> muscles;
    const TissueShares& shares = body.shares;
    for (Index e = shares.start[t]; e < shares.start[t + 1]; ++e) {
        const auto i = at(e);
        const Tissue tissue = body.materials[at(shares.material[i])].tissue;
        tissues[at(tissue)] += shares.fraction[i];
        if ((tissue == Tissue::Muscle || tissue == Tissue::Tendon) && shares.part[i] >= 0) {
            muscles[shares.part[i]] += shares.fraction[i];
        }
    }
    Cell cell;
    cell.tissue =
        static_cast<int>(std::max_element(tissues.begin(), tissues.end()) - tissues.begin());
    cell.muscle_fraction = tissues[at(Tissue::Muscle)] + tissues[at(Tissue::Tendon)];
    cell.bone_fraction = tissues[at(Tissue::Bone)];
    double most = 0.0;
    for (const auto& [muscle, fraction] : muscles) {
        if (fraction > most) {
            most = fraction;
            cell.muscle = muscle;
        }
    }
    return cell;
}

Vec3 fibre_of(const Body& body, std::size_t t, Index muscle) {
    const Fibres& fibres = body.fibres;
    if (fibres.start.size() <= t + 1) {
        return Vec3::Zero();
    }
    for (Index e = fibres.start[t]; e < fibres.start[t + 1]; ++e) {
        if (fibres.muscle[at(e)] == muscle) {
            return point(fibres.direction, e);
        }
    }
    return Vec3::Zero();
}

}  // namespace

std::vector<Attribute> tissue_cells(const Body& body) {
    const auto tets = at(body.tets.tets.rows());
    const bool has_shares = body.shares.start.size() == tets + 1;
    std::vector<Attribute> data = {{.name = "tissue", .components = 1, .values = {}},
                                   {.name = "muscle", .components = 1, .values = {}},
                                   {.name = "muscle_fraction", .components = 1, .values = {}},
                                   {.name = "bone_fraction", .components = 1, .values = {}},
                                   {.name = "fibre", .components = 3, .values = {}}};
    for (std::size_t t = 0; t < tets; ++t) {
        const Cell cell = has_shares ? cell_of(body, t) : Cell{};
        const Vec3 fibre = fibre_of(body, t, cell.muscle);
        data[0].values.push_back(cell.tissue);
        data[1].values.push_back(cell.muscle);
        data[2].values.push_back(cell.muscle_fraction);
        data[3].values.push_back(cell.bone_fraction);
        data[4].values.insert(data[4].values.end(), {fibre.x(), fibre.y(), fibre.z()});
    }
    return data;
}

}  // namespace sinew
