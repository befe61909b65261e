#include "sinew/body/anatomy.h"

namespace sinew {

std::string_view name_of(Tissue tissue) {
    switch (tissue) {
        case Tissue::Muscle:
            return "muscle";
        case Tissue::Fat:
            return "fat";
        case Tissue::Bone:
            return "bone";
        case Tissue::Tendon:
            return "tendon";
        case Tissue::Generic:
            break;
    }
    return "generic";
}

std::vector<TissueMaterial> tissue_materials() {
    return {{.name = "generic", .tissue = Tissue::Generic, .density = 1000.0},
            {.name = "muscle", .tissue = Tissue::Muscle, .density = 1056.0},
            {.name = "fat", .tissue = Tissue::Fat, .density = 900.0},
            {.name = "bone", .tissue = Tissue::Bone, .density = 1500.0},
            {.name = "tendon", .tissue = Tissue::Tendon, .density = 1120.0}};
}

std::string_view name_of(BoneKind kind) {
    switch (kind) {
        case BoneKind::Cartilage:
            return "cartilage";
        case BoneKind::Disc:
            return "disc";
        case BoneKind::Bone:
            break;
    }
    return "bone";
}

std::string_view name_of(Sex sex) {
    switch (sex) {
        case Sex::Female:
            return "female";
        case Sex::Male:
            return "male";
        case Sex::Unknown:
            break;
    }
    return "unknown";
}

}  // namespace sinew
