#pragma once

#include "sinew/meshing/health.h"

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Collects the examples of one kind of defect and turns them into a Problem: only the first few
/// are named.
class ProblemCollector {
public:
    explicit ProblemCollector(std::string_view element) : element_(element) {}

    void add(std::int64_t id) {
        if (count_++ < kNamed) {
            ids_.push_back(id);
        }
    }
    void place_at(const Vec3& position) {
        if (!has_place_) {
            has_place_ = true;
            position_ = position;
        }
    }
    void count_more(std::int64_t n) {
        count_ += n;
    }
    std::int64_t count() const {
        return count_;
    }
    bool is_first() const {
        return count_ == 0;
    }
    /// "triangles 4, 9, 12 and 30 more; first at (0.1, 0.2, 0.3)"
    std::string where() const;
    /// Appends to `list` unless nothing was found.
    void into(std::vector<Problem>& list, std::string_view what, std::string_view remedy) const;

private:
    static constexpr std::int64_t kNamed = 5;
    std::string element_;
    std::vector<std::int64_t> ids_;
    std::int64_t count_ = 0;
    bool has_place_ = false;
    Vec3 position_ = Vec3::Zero();
};

/// "(0.1, 0.2, 0.3)" in metres, to 0.1 mm.
std::string place(const Vec3& p);

}  // namespace sinew
