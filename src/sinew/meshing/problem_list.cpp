#include "sinew/meshing/problem_list.h"

#include <fmt/format.h>

namespace sinew {

namespace {

std::string plural(std::string_view word) {
    return word == "vertex"        ? "vertices"
           : word == "tetrahedron" ? "tetrahedra"
                                   : fmt::format("{}s", word);
}

}  // namespace

std::string place(const Vec3& p) {
    return fmt::format("({:.4f}, {:.4f}, {:.4f})", p.x(), p.y(), p.z());
}

std::string ProblemCollector::where() const {
    std::string text = ids_.size() > 1 ? plural(element_) : element_;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? " " : ", ", ids_[i]);
    }
    const std::int64_t more = count_ - static_cast<std::int64_t>(ids_.size());
    if (more > 0) {
        text += fmt::format(" and {} more", more);
    }
    if (has_place_) {
        text += fmt::format("; first at {}", place(position_));
    }
    return text;
}

void ProblemCollector::into(std::vector<Problem>& list, std::string_view what,
                            std::string_view remedy) const {
    if (count_ > 0) {
        list.push_back({std::string(what), count_, where(), std::string(remedy)});
    }
}

std::string summary(const std::vector<Problem>& problems) {
    if (problems.empty()) {
        return "healthy";
    }
    std::string text;
    for (const Problem& p : problems) {
        text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", p.count, p.what, p.where);
    }
    return text;
}

}  // namespace sinew
