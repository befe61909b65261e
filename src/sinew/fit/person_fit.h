#pragma once

#include "sinew/fit/anatomy_transfer.h"
#include "sinew/fit/layer_fit.h"

namespace sinew {

struct PersonFitOptions {
    LayerFitOptions layers = {};
    TransferOptions transfer = {};
};

struct PersonFitReport {
    LayerFitReport layers = {};
    TransferReport transfer = {};
    double stature_m = 0.0;
    double mass_kg = 0.0;
    double fat_kg = 0.0;     ///< of the body returned
    double muscle_kg = 0.0;  ///< with tendons
    double bone_kg = 0.0;
    double body_fat = 0.0;           ///< of the mass
    Eigen::Index crossings = 0;      ///< of the body's layers, by over 1 mm; see LayerFitReport
    Eigen::Index bones_outside = 0;  ///< vertices of bones over 1 mm outside the skin
    std::vector<std::string> outside = {};  ///< names of those bones
    Eigen::Index inverted_tets = 0;
    Eigen::Index skin_crossings = 0;  ///< pairs of triangles of the skin
    std::vector<std::pair<std::string, double>> bone_lengths_m = {};  ///< of the long parts
    std::vector<std::pair<std::string, double>> seconds = {};         ///< per stage
    std::vector<std::string> warnings = {};
};

struct FittedPerson {
    Body body;
    PersonLayers layers;
    PersonFitReport report;
};

/// Fits people to one template: what depends on it alone is made once.
class PersonFitter {
public:
    /// @param body  must outlive this
    PersonFitter(const Body& body, LayeredTemplate layers, const PersonFitOptions& options = {},
                 const Progress& progress = {});

    const LayeredTemplate& layers() const {
        return layers_;
    }
    /// A whole body with this skin: layers by fit_layers, the anatomy by AnatomyTransfer.
    /// Masses of segments are not weighed anew (build/segment_masses.h).
    /// @throws InputError  as fit_layers does; Cancelled
    FittedPerson fit(const Points& skin_rest, const CompositionTargets& targets = {},
                     const Progress& progress = {}) const;

private:
    const Body* body_;
    LayeredTemplate layers_;
    PersonFitOptions options_;
    AnatomyTransfer transfer_;
};

/// The same for one person.
FittedPerson fit_person(const Body& template_body, const LayeredTemplate& layers,
                        const Points& skin_rest, const CompositionTargets& targets = {},
                        const PersonFitOptions& options = {}, const Progress& progress = {});

/// Lengths of the long parts ("thigh_l", "shin_l", ...) between the centres of their joints, m.
std::vector<std::pair<std::string, double>> bone_lengths(const Body& body);

}  // namespace sinew
