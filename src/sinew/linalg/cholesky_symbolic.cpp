#include "sinew/linalg/cholesky_symbolic.h"

#include "sinew/base/arrays.h"
#include "sinew/base/error.h"

#include <metis.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <queue>

namespace sinew::cholesky {
namespace {

using Ints = std::vector<int>;

Ints nested_dissection(const SparseSymmetric& A) {
    Ints order(at(A.size));
    std::iota(order.begin(), order.end(), 0);
    std::vector<idx_t> start = {0};
    std::vector<idx_t> neighbour;
    start.reserve(order.size() + 1);
    neighbour.reserve(A.column.size());
    for (int i = 0; i < A.size; ++i) {
        for (auto e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
            const int j = A.column[at(e)];
            if (j != i) {
                neighbour.push_back(j);
            }
        }
        start.push_back(static_cast<idx_t>(neighbour.size()));
    }
    if (neighbour.empty()) {
        return order;
    }
    idx_t n = A.size;
    std::vector<idx_t> perm(order.size());
    std::vector<idx_t> inverse(order.size());
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    // METIS draws from the one generator of the C library: two orderings at once would take each
    // other's numbers and differ from those made alone.
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    const int status = METIS_NodeND(&n, start.data(), neighbour.data(), nullptr, options,
                                    perm.data(), inverse.data());
    if (status == METIS_OK) {
        std::copy(perm.begin(), perm.end(), order.begin());
    }
    return order;
}

Ints inverse_of(const Ints& order) {
    Ints inverse(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        inverse[at(order[k])] = static_cast<int>(k);
    }
    return inverse;
}

// Calls body(j) for the entries j < i of row i of the permuted matrix.
template <class Body>
void for_lower(const SparseSymmetric& A, const Ints& old_of_new, const Ints& new_of_old, int i,
               const Body& body) {
    const auto row = at(old_of_new[at(i)]);
    for (auto e = A.start[row]; e < A.start[row + 1]; ++e) {
        const int j = new_of_old[at(A.column[at(e)])];
        if (j < i) {
            body(j);
        }
    }
}

// Elimination tree with path compression [Liu1990].
Ints elimination_tree(const SparseSymmetric& A, const Ints& old_of_new, const Ints& new_of_old) {
    Ints parent(at(A.size), -1);
    Ints ancestor(at(A.size), -1);
    for (int i = 0; i < A.size; ++i) {
        for_lower(A, old_of_new, new_of_old, i, [&](int j) {
            while (j != -1 && j != i) {
                const int next = ancestor[at(j)];
                ancestor[at(j)] = i;
                if (next == -1) {
                    parent[at(j)] = i;
                }
                j = next;
            }
        });
    }
    return parent;
}

// Children before parents, each subtree contiguous. post[k] = node in place k.
Ints postorder(const Ints& parent) {
    const int n = static_cast<int>(parent.size());
    Ints first_child(parent.size(), -1);
    Ints sibling(parent.size(), -1);
    for (int j = n - 1; j >= 0; --j) {
        if (parent[at(j)] >= 0) {
            sibling[at(j)] = first_child[at(parent[at(j)])];
            first_child[at(parent[at(j)])] = j;
        }
    }
    Ints post;
    post.reserve(parent.size());
    Ints stack;
    for (int root = 0; root < n; ++root) {
        if (parent[at(root)] >= 0) {
            continue;
        }
        stack.push_back(root);
        while (!stack.empty()) {
            const int j = stack.back();
            const int child = first_child[at(j)];
            if (child >= 0) {
                first_child[at(j)] = sibling[at(child)];
                stack.push_back(child);
            } else {
                post.push_back(j);
                stack.pop_back();
            }
        }
    }
    return post;
}

// Entries of each column of L, diagonal included, by walking the row subtrees.
Ints column_counts(const SparseSymmetric& A, const Plan& plan, const Ints& parent) {
    Ints count(at(A.size), 1);
    Ints mark(at(A.size), -1);
    for (int i = 0; i < A.size; ++i) {
        mark[at(i)] = i;
        for_lower(A, plan.old_of_new, plan.new_of_old, i, [&](int j) {
            for (; mark[at(j)] != i; j = parent[at(j)]) {
                mark[at(j)] = i;
                ++count[at(j)];
            }
        });
    }
    return count;
}

// A group of columns that will be stored with common rows.
struct Group {
    Ints columns = {};
    Ints children = {};
    int parent = -1;
    int below = 0;         // rows below its own
    double entries = 0.0;  // of L in these columns, without the zeros that merging adds
    bool is_merged = false;

    double stored(double more_columns) const {
        const double width = static_cast<double>(columns.size()) + more_columns;
        return width * (0.5 * (width + 1.0) + below);
    }
};

// Columns j, j + 1 belong together when column j + 1 is column j without its first entry.
std::vector<Group> fundamental_groups(const Ints& parent, const Ints& count) {
    const int n = static_cast<int>(parent.size());
    std::vector<Group> groups;
    Ints group_of(parent.size());
    for (int j = 0; j < n; ++j) {
        const bool continues =
            j > 0 && parent[at(j - 1)] == j && count[at(j - 1)] == count[at(j)] + 1;
        if (!continues) {
            groups.emplace_back();
        }
        groups.back().columns.push_back(j);
        groups.back().entries += count[at(j)];
        groups.back().below = count[at(j)] - 1;
        group_of[at(j)] = static_cast<int>(groups.size()) - 1;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const int up = parent[at(groups[g].columns.back())];
        if (up >= 0) {
            groups[g].parent = group_of[at(up)];
            groups[at(groups[g].parent)].children.push_back(static_cast<int>(g));
        }
    }
    return groups;
}

// Merges groups with their parents while the zeros this stores are few: always when narrow, hardly
// ever when wide. Narrow groups cost more in reading rows than in numbers.
void merge_groups(std::vector<Group>& groups) {
    for (std::size_t p = 0; p < groups.size(); ++p) {
        Group& above = groups[p];
        Ints children = above.children;
        std::stable_sort(children.begin(), children.end(),
                         [&](int a, int b) { return groups[at(a)].below > groups[at(b)].below; });
        above.children.clear();
        for (const int c : children) {
            Group& below = groups[at(c)];
            const double own = static_cast<double>(below.columns.size());
            const double width = own + static_cast<double>(above.columns.size());
            const double entries = above.entries + below.entries;
            const double zeros = 1.0 - entries / above.stored(own);
            const bool is_worth = width <= 16 || (width <= 48 && zeros < 0.4) ||
                                  (width <= 64 && zeros < 0.3) || zeros < 0.05;
            if (!is_worth) {
                above.children.push_back(c);
                continue;
            }
            below.columns.insert(below.columns.end(), above.columns.begin(), above.columns.end());
            above.columns = std::move(below.columns);
            above.entries = entries;
            below.is_merged = true;
            for (const int grandchild : below.children) {
                groups[at(grandchild)].parent = static_cast<int>(p);
                above.children.push_back(grandchild);
            }
        }
    }
}

// What is left, children before parents; parents renumbered.
std::vector<Group> in_postorder(std::vector<Group>& groups) {
    Ints tree;
    Ints kept;
    Ints place(groups.size(), -1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!groups[g].is_merged) {
            place[g] = static_cast<int>(kept.size());
            kept.push_back(static_cast<int>(g));
        }
    }
    for (const int g : kept) {
        const int up = groups[at(g)].parent;
        tree.push_back(up < 0 ? -1 : place[at(up)]);
    }
    const Ints post = postorder(tree);
    const Ints where = inverse_of(post);
    std::vector<Group> ordered;
    ordered.reserve(post.size());
    for (const int k : post) {
        ordered.push_back(std::move(groups[at(kept[at(k)])]));
        ordered.back().parent = tree[at(k)] < 0 ? -1 : where[at(tree[at(k)])];
    }
    return ordered;
}

// Chooses the subtrees to be worked on independently. Returns for each supernode whether it belongs
// to the top of the tree.
std::vector<bool> choose_top(const Ints& parent, const std::vector<double>& own) {
    const int n = static_cast<int>(parent.size());
    std::vector<double> subtree = own;
    std::vector<Ints> children(parent.size());
    double total = 0.0;
    using Item = std::pair<double, int>;
    std::priority_queue<Item> queue;
    for (int s = 0; s < n; ++s) {
        total += own[at(s)];
        if (parent[at(s)] >= 0) {
            subtree[at(parent[at(s)])] += subtree[at(s)];
            children[at(parent[at(s)])].push_back(s);
        } else {
            queue.emplace(subtree[at(s)], s);
        }
    }
    constexpr double kLargestShare = 1.0 / 8.0;
    std::vector<bool> is_top(parent.size(), false);
    while (!queue.empty() && queue.top().first > kLargestShare * total) {
        const int s = queue.top().second;
        queue.pop();
        if (children[at(s)].empty()) {
            continue;
        }
        is_top[at(s)] = true;
        for (const int child : children[at(s)]) {
            queue.emplace(subtree[at(child)], child);
        }
    }
    return is_top;
}

// Numbers the columns group by group, the top of the tree behind all others; children still come
// before parents.
void number_columns(const std::vector<Group>& groups, const std::vector<bool>& is_top, Plan& plan) {
    Ints old_of_new;
    old_of_new.reserve(plan.old_of_new.size());
    for (const bool top : {false, true}) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (is_top[g] == top) {
                plan.supernodes.push_back({.column = static_cast<int>(old_of_new.size()),
                                           .width = static_cast<int>(groups[g].columns.size())});
                for (const int j : groups[g].columns) {
                    old_of_new.push_back(plan.old_of_new[at(j)]);
                }
            }
        }
    }
    plan.old_of_new = std::move(old_of_new);
    plan.new_of_old = inverse_of(plan.old_of_new);
}

// Rows below each supernode: those of A's columns and of the children.
void find_rows(const SparseSymmetric& A, Plan& plan) {
    Ints super_of(at(A.size));
    for (std::size_t s = 0; s < plan.supernodes.size(); ++s) {
        const Supernode& node = plan.supernodes[s];
        std::fill_n(super_of.begin() + node.column, node.width, static_cast<int>(s));
    }
    std::vector<Ints> children(plan.supernodes.size());
    Ints mark(at(A.size), -1);
    for (std::size_t s = 0; s < plan.supernodes.size(); ++s) {
        Supernode& node = plan.supernodes[s];
        const int end = node.column + node.width;
        node.rows = static_cast<std::int64_t>(plan.rows.size());
        const auto take = [&](int r) {
            if (r >= end && mark[at(r)] != static_cast<int>(s)) {
                mark[at(r)] = static_cast<int>(s);
                plan.rows.push_back(r);
            }
        };
        for (int j = node.column; j < end; ++j) {
            const auto row = at(plan.old_of_new[at(j)]);
            for (auto e = A.start[row]; e < A.start[row + 1]; ++e) {
                take(plan.new_of_old[at(A.column[at(e)])]);
            }
        }
        for (const int child : children[s]) {
            const Supernode& c = plan.supernodes[at(child)];
            for (int k = 0; k < c.below; ++k) {
                take(plan.rows[at(c.rows + k)]);
            }
        }
        node.below = static_cast<int>(static_cast<std::int64_t>(plan.rows.size()) - node.rows);
        std::sort(plan.rows.begin() + node.rows, plan.rows.end());
        if (node.below > 0) {
            node.parent = super_of[at(plan.rows[at(node.rows)])];
            children[at(node.parent)].push_back(static_cast<int>(s));
        }
        const auto w = static_cast<std::int64_t>(node.width);
        plan.nonzeros += w * (w + 1) / 2 + w * node.below;
    }
}

// Consecutive subtrees below the top, packed until a part has its share of the work.
void make_parts(int top_begin, Plan& plan) {
    constexpr double kPartsWanted = 16.0;
    const double share = static_cast<double>(plan.nonzeros) / kPartsWanted;
    const int count = static_cast<int>(plan.supernodes.size());
    const auto close = [&](int first, int last) {
        Part part{.first = first, .last = last};
        part.column = first < count ? plan.supernodes[at(first)].column : plan.size;
        part.column_end = last < count ? plan.supernodes[at(last)].column : plan.size;
        for (int s = first; s < last; ++s) {
            for (const int r : plan.rows_below(plan.supernodes[at(s)])) {
                if (r >= part.column_end) {
                    part.outside.push_back(r);
                }
            }
        }
        std::sort(part.outside.begin(), part.outside.end());
        part.outside.erase(std::unique(part.outside.begin(), part.outside.end()),
                           part.outside.end());
        plan.parts.push_back(std::move(part));
    };
    int first = 0;
    double work = 0.0;
    for (int s = 0; s < top_begin; ++s) {
        const Supernode& node = plan.supernodes[at(s)];
        work += static_cast<double>(node.width) * (node.below + 0.5 * node.width);
        const bool is_subtree_root = node.parent < 0 || node.parent >= top_begin;
        if (is_subtree_root && (work >= share || s + 1 == top_begin)) {
            close(first, s + 1);
            first = s + 1;
            work = 0.0;
        }
    }
    close(top_begin, count);
}

}  // namespace

Plan make_plan(const SparseSymmetric& A) {
    Plan plan;
    plan.size = A.size;
    plan.old_of_new = nested_dissection(A);
    plan.new_of_old = inverse_of(plan.old_of_new);

    // Postordered, so that subtrees and supernodes are contiguous.
    Ints parent = elimination_tree(A, plan.old_of_new, plan.new_of_old);
    const Ints post = postorder(parent);
    Ints renumbered(post.size());
    for (std::size_t k = 0; k < post.size(); ++k) {
        renumbered[k] = plan.old_of_new[at(post[k])];
    }
    plan.old_of_new = std::move(renumbered);
    plan.new_of_old = inverse_of(plan.old_of_new);
    const Ints place = inverse_of(post);
    Ints parent_posted(parent.size());
    for (std::size_t k = 0; k < post.size(); ++k) {
        const int p = parent[at(post[k])];
        parent_posted[k] = p < 0 ? -1 : place[at(p)];
    }
    parent = std::move(parent_posted);

    const Ints count = column_counts(A, plan, parent);
    std::vector<Group> all = fundamental_groups(parent, count);
    merge_groups(all);
    const std::vector<Group> groups = in_postorder(all);
    Ints group_parent;
    std::vector<double> work;
    for (const Group& g : groups) {
        group_parent.push_back(g.parent);
        work.push_back(g.stored(0.0));
    }
    const std::vector<bool> is_top = choose_top(group_parent, work);
    number_columns(groups, is_top, plan);
    find_rows(A, plan);
    make_parts(static_cast<int>(std::count(is_top.begin(), is_top.end(), false)), plan);
    return plan;
}

}  // namespace sinew::cholesky
