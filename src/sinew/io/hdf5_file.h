#pragma once

#include "sinew/mesh/arrays.h"

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::detail {

/// Bytes before the HDF5 data, free for the archive's own header.
inline constexpr std::size_t kUserBlockBytes = 512;

/// An identifier of the HDF5 library that is closed at the end.
class Hdf5Handle {
public:
    Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) {
        other.id_ = -1;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(Hdf5Handle&&) = delete;
    ~Hdf5Handle() {
        if (id_ >= 0) {
            close_(id_);
        }
    }
    operator hid_t() const {  // NOLINT: handed to the C library everywhere
        return id_;
    }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

/// Locks the library, which serves one thread at a time, and keeps it from printing.
class Hdf5Session {
public:
    Hdf5Session();
    ~Hdf5Session();
    Hdf5Session(const Hdf5Session&) = delete;
    Hdf5Session& operator=(const Hdf5Session&) = delete;

private:
    std::unique_lock<std::recursive_mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* print_to_ = nullptr;
};

/// What a dataset is, for whoever opens the file with another program.
struct Hdf5Note {
    std::string_view unit;     ///< "m"; "1" for pure numbers
    std::string_view meaning;  ///< a sentence
};

/// An HDF5 file made in memory. The same calls give the same bytes.
class Hdf5Writer {
public:
    Hdf5Writer();

    void add_group(const std::string& path);
    /// Rows of `columns` numbers (one dimension when columns is 1).
    void add(const std::string& path, std::span<const double> values, std::size_t columns,
             const Hdf5Note& note);
    void add(const std::string& path, std::span<const Index> values, std::size_t columns,
             const Hdf5Note& note);
    void add(const std::string& path, std::span<const std::string> texts, const Hdf5Note& note);
    /// Attributes of a group or dataset that exists.
    void set(const std::string& path, const char* name, const std::string& text);
    void set(const std::string& path, const char* name, double value);
    void set(const std::string& path, const char* name, std::uint64_t value);

    /// The whole file, with an empty user block. Ends the writing.
    std::string bytes();

private:
    void add_dataset(const std::string& path, hid_t stored_as, hid_t in_memory, const void* data,
                     std::size_t rows, std::size_t columns, std::size_t element_bytes,
                     const Hdf5Note& note);

    Hdf5Session session_;
    Hdf5Handle file_;
};

/// An HDF5 file in memory, read with distrust: every getter checks type, shape and size and throws
/// InputError with the dataset's path.
class Hdf5Reader {
public:
    /// @param image  the file, user block included; copied
    Hdf5Reader(std::string_view image, std::string where);

    bool has(const std::string& path) const;
    /// Names of what a group holds, in alphabetic order; none where there is no such group.
    std::vector<std::string> children(const std::string& group) const;

    /// Numbers in rows of `columns`; each finite unless allowed otherwise.
    std::vector<double> doubles(const std::string& path, std::size_t columns,
                                bool may_be_infinite = false) const;
    std::vector<Index> indices(const std::string& path, std::size_t columns) const;
    std::vector<std::string> texts(const std::string& path) const;
    /// Columns of a two-dimensional dataset, 1 for a one-dimensional one.
    std::size_t columns(const std::string& path) const;

    std::string text_attribute(const std::string& path, const char* name) const;
    double number_attribute(const std::string& path, const char* name) const;
    std::uint64_t count_attribute(const std::string& path, const char* name,
                                  std::uint64_t limit = UINT64_MAX) const;

    [[noreturn]] void refuse(const std::string& place, const std::string& found,
                             const std::string& needs) const;

private:
    struct Shape;
    Shape shape_of(hid_t dataset, const std::string& path) const;
    void require_rows(const std::string& path, hid_t dataset, hid_t type, std::size_t columns,
                      std::size_t& count) const;

    Hdf5Session session_;
    std::string where_;
    Hdf5Handle file_;
};

}  // namespace sinew::detail
