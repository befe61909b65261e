#pragma once

#include "sinew/meshing/edit_mesh.h"

#include <vector>

namespace sinew {

/// One round of isotropic remeshing on an EditMesh, step by step. Vertices marked as fixed neither
/// move nor go; edges between two of them are left alone.
class RemeshRounds {
public:
    RemeshRounds(EditMesh& mesh, double edge_length, double feature_angle,
                 std::vector<char> is_fixed = {});
    /// @param edge_lengths  aimed at near each vertex, m, > 0
    RemeshRounds(EditMesh& mesh, std::vector<double> edge_lengths, double feature_angle);

    /// The length aimed at near a vertex: to be told anew when vertices have moved.
    void set_edge_length(Index vertex, double length);
    bool is_graded() const {
        return !graded_.empty();
    }

    void split_long();
    void collapse_short();
    void equalise_valence();
    /// Moves free vertices to the mean of their neighbours; along the surface only, unless
    /// `is_free` lets them leave it.
    void relax(bool is_free = false);

    /// Vertices that `relax` moves: neither fixed nor on a border or a sharp edge.
    bool is_movable(Index vertex) const;

private:
    bool is_fixed(Index vertex) const {
        const auto v = static_cast<std::size_t>(vertex);
        return v < fixed_.size() && fixed_[v];
    }
    bool is_feature(Index a, Index b) const;
    int feature_edges(Index vertex) const;
    std::vector<std::pair<Index, Index>> edges() const;
    bool may_go(Index gone, Index keep) const;

    /// Aimed at along the edge a b.
    double aim(Index a, Index b) const;

    EditMesh& mesh_;
    double edge_length_;
    std::vector<double> graded_ = {};  ///< per vertex; empty where all are alike
    double feature_cosine_;
    std::vector<char> fixed_;
};

}  // namespace sinew
