#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

/// What the doctor says of one model, as it is and with faults planted in it.
struct DoctorRow {
    std::string model;
    int errors = 0;   ///< of the model as it is
    int remarks = 0;  ///< of the model as it is
    int planted = 0;
    int found = 0;                         ///< as an error that names what was harmed
    std::vector<std::string> missed = {};  ///< "5 cm off: soleus_r"
};

struct DoctorTrial {
    std::vector<DoctorRow> rows;
    std::vector<std::string> unread = {};  ///< files that could not be read, with the reason
    double found_share() const;            ///< of all planted faults
    double false_share() const;            ///< of all models as they are
};

/// One model; faults in every `every`-th muscle, none for 0. A finding that the model has already
/// as it is counts for nothing.
DoctorRow try_doctor(const std::string& name, const MusculoskeletalModel& model,
                     std::size_t every = 6);

/// All models below a folder: `.osim`, MJCF with muscles, MASS.
DoctorTrial run_doctor_trial(const std::filesystem::path& data, std::size_t every = 6,
                             const Progress& progress = {});

}  // namespace sinew::bench
