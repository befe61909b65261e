#include "sinew/growth/growth_plan.h"

#include "sinew/base/error.h"
#include "sinew/body/names.h"

#include <algorithm>
#include <functional>
#include <span>
#include <tuple>

// A plan says words ("legs", "quadriceps", "all") and the solvers take one number per muscle or
// part. One order for all callers: words that mean much come first and words that mean little
// overrule them, whatever the order in the file or on the command line. Words that mean equally
// much are applied in alphabetical order, so equal plans give equal bytes.

namespace sinew {

namespace {

/// How many muscles or parts a word means; fewer is more special.
using Reach = std::function<std::size_t(const std::string& word)>;

// A word that is given twice counts with its last value.
std::vector<NamedValue> ordered_words(const std::vector<NamedValue>& words, const Reach& reach) {
    struct Entry {
        std::size_t reach;
        NamedValue word;
    };
    std::vector<Entry> entries;
    for (const NamedValue& word : words) {
        const auto same = std::find_if(entries.begin(), entries.end(),
                                       [&](const Entry& e) { return e.word.first == word.first; });
        if (same != entries.end()) {
            same->word.second = word.second;
        } else {
            entries.push_back({reach(word.first), word});
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(b.reach, a.word.first) < std::tie(a.reach, b.word.first);
    });
    std::vector<NamedValue> ordered;
    ordered.reserve(entries.size());
    for (Entry& e : entries) {
        ordered.push_back(std::move(e.word));
    }
    return ordered;
}

std::vector<Index> muscles_meant(const Body& body, const std::string& word) {
    if (slug(word) != "all") {
        return find_muscles(body.muscles, word, "muscles");
    }
    std::vector<Index> all(body.muscles.size());
    for (std::size_t m = 0; m < all.size(); ++m) {
        all[m] = static_cast<Index>(m);
    }
    return all;
}

std::vector<NamedValue> ordered_muscles(const Body& body, const std::vector<NamedValue>& words) {
    return ordered_words(words,
                         [&](const std::string& word) { return muscles_meant(body, word).size(); });
}

std::vector<NamedValue> ordered_bones(const Body& body, std::span<const BodyPart> parts,
                                      const std::vector<NamedValue>& words) {
    return ordered_words(words, [&](const std::string& word) {
        return find_body_parts(body, parts, word, "bones").size();
    });
}

}  // namespace

GrowthPlan ordered_plan(GrowthPlan plan, const Body& body) {
    plan.muscles = ordered_muscles(body, plan.muscles);
    if (!plan.bones.empty()) {
        plan.bones = ordered_bones(body, body_parts(body), plan.bones);
    }
    plan.measures = ordered_words(plan.measures, [](const std::string&) { return std::size_t{1}; });
    plan.fat = ordered_words(plan.fat, [](const std::string&) { return std::size_t{1}; });
    return plan;
}

std::vector<double> muscle_alphas(const Body& body, const std::vector<NamedValue>& words) {
    check_ranges_of(words, field_named<GrowthPlan>("muscles"),
                    FieldPlace("growth").field("muscles"));
    std::vector<double> alpha(body.muscles.size(), 1.0);
    for (const auto& [word, value] : ordered_muscles(body, words)) {
        for (const Index m : muscles_meant(body, word)) {
            alpha[at(m)] = value;
        }
    }
    // Ligaments and the like do not grow, even where "all" is asked for.
    for (std::size_t m = 0; m < alpha.size(); ++m) {
        alpha[m] = body.muscles[m].is_passive ? 1.0 : alpha[m];
    }
    return alpha;
}

std::vector<double> bone_scales(const Body& body, std::span<const BodyPart> parts,
                                const std::vector<NamedValue>& words) {
    check_ranges_of(words, field_named<GrowthPlan>("bones"), FieldPlace("growth").field("bones"));
    std::vector<double> scale(parts.size(), 1.0);
    for (const auto& [word, value] : ordered_bones(body, parts, words)) {
        for (const std::size_t p : find_body_parts(body, parts, word, "bones")) {
            scale[p] = value;
        }
    }
    return scale;
}

void check_plan(const GrowthPlan& plan) {
    check_ranges(plan, "growth");
}

}  // namespace sinew
