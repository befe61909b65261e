#include "sinew/io/hdf5_file.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::detail {

namespace {

// Smaller arrays are stored as they are: a compressed chunk costs more than it saves.
constexpr std::size_t kCompressBytes = 32 * 1024;
constexpr std::size_t kChunkBytes = 512 * 1024;
constexpr unsigned kDeflateLevel = 1;
// No array of a body comes near; larger ones are damage.
constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{4} << 30;
constexpr std::size_t kMaxTextBytes = 1 << 20;

/// The HDF5 library keeps global state, so all of Sinew's use of it stands behind this lock.
std::recursive_mutex& library_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

void require_done(herr_t status, std::string_view what) {
    if (status < 0) {
        throw InputError({.where = "archive in memory",
                          .found = fmt::format("HDF5 could not {}", what),
                          .needs = "memory for the whole archive",
                          .remedy = "free some memory and try again"});
    }
}

Hdf5Handle checked(hid_t id, herr_t (*close)(hid_t), std::string_view what) {
    require_done(id < 0 ? -1 : 0, what);
    return {id, close};
}

Hdf5Handle text_type(std::size_t length) {
    Hdf5Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
    require_done(H5Tset_size(type, std::max<std::size_t>(length, 1)), "size a type");
    require_done(H5Tset_cset(type, H5T_CSET_UTF8), "mark a type");
    require_done(H5Tset_strpad(type, H5T_STR_NULLPAD), "pad a type");
    return type;
}

/// Text up to its first zero byte, which a stored text cannot hold.
std::string storable(std::string_view text) {
    if (text.size() > kMaxTextBytes) {
        throw InputError({.where = "text to be stored",
                          .found = fmt::format("{} bytes", text.size()),
                          .needs = "at most a megabyte",
                          .remedy = "shorten the note or name"});
    }
    return std::string(text.substr(0, text.find('\0')));
}

Hdf5Handle file_in_memory() {
    const Hdf5Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "start");
    require_done(H5Pset_fapl_core(access, std::size_t{4} << 20, false), "start in memory");
    require_done(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18),
                 "set its version");
    const Hdf5Handle creation = checked(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "start");
    require_done(H5Pset_userblock(creation, kUserBlockBytes), "leave room for a header");
    require_done(H5Pset_obj_track_times(creation, false), "leave out times");
    return checked(H5Fcreate("archive", H5F_ACC_TRUNC, creation, access), H5Fclose, "start");
}

Hdf5Handle open_image(std::string_view image) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (access < 0 || H5Pset_fapl_core(access, std::size_t{1} << 20, false) < 0 ||
        // The library's signature lacks a const; it copies the image.
        H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()) < 0) {
        return {-1, H5Fclose};
    }
    return {H5Fopen("archive", H5F_ACC_RDONLY, access), H5Fclose};
}

Hdf5Handle open_object(hid_t file, const std::string& path) {
    return checked(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, "open " + path);
}

void set_attribute(hid_t object, const char* name, hid_t stored_as, hid_t in_memory,
                   const void* value) {
    const Hdf5Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "make a space");
    const Hdf5Handle attribute =
        checked(H5Acreate2(object, name, stored_as, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                "add an attribute");
    require_done(H5Awrite(attribute, in_memory, value), "write an attribute");
}

void set_text(hid_t object, const char* name, std::string_view text) {
    std::string stored = storable(text);
    const Hdf5Handle type = text_type(stored.size());
    stored.resize(std::max<std::size_t>(stored.size(), 1), '\0');
    set_attribute(object, name, type, type, stored.data());
}

extern "C" herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
    H5open();
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_to_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() {
    H5Eset_auto2(H5E_DEFAULT, print_, print_to_);
}

Hdf5Writer::Hdf5Writer() : file_(file_in_memory()) {}

void Hdf5Writer::add_group(const std::string& path) {
    const Hdf5Handle creation = checked(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "add a group");
    require_done(H5Pset_obj_track_times(creation, false), "leave out times");
    checked(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose,
            "add " + path);
}

void Hdf5Writer::add_dataset(const std::string& path, hid_t stored_as, hid_t in_memory,
                             const void* data, std::size_t rows, std::size_t columns,
                             std::size_t element_bytes, const Hdf5Note& note) {
    const hsize_t size[2] = {rows, columns};
    const int dimensions = columns == 1 ? 1 : 2;
    const Hdf5Handle space =
        checked(H5Screate_simple(dimensions, size, nullptr), H5Sclose, "make a space");
    const Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "add " + path);
    require_done(H5Pset_obj_track_times(creation, false), "leave out times");
    if (rows * columns * element_bytes >= kCompressBytes) {
        const std::size_t per_chunk =
            std::max<std::size_t>(1, kChunkBytes / (columns * element_bytes));
        const hsize_t chunk[2] = {std::min<hsize_t>(per_chunk, rows), columns};
        require_done(H5Pset_chunk(creation, dimensions, chunk), "divide " + path);
        require_done(H5Pset_shuffle(creation), "shuffle " + path);
        require_done(H5Pset_deflate(creation, kDeflateLevel), "compress " + path);
    }
    const Hdf5Handle dataset = checked(
        H5Dcreate2(file_, path.c_str(), stored_as, space, H5P_DEFAULT, creation, H5P_DEFAULT),
        H5Dclose, "add " + path);
    if (rows > 0) {
        require_done(H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
                     "write " + path);
    }
    set_text(dataset, "units", note.unit);
    set_text(dataset, "meaning", note.meaning);
}

void Hdf5Writer::add(const std::string& path, std::span<const double> values, std::size_t columns,
                     const Hdf5Note& note) {
    add_dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size() / columns,
                columns, sizeof(double), note);
}

void Hdf5Writer::add(const std::string& path, std::span<const Index> values, std::size_t columns,
                     const Hdf5Note& note) {
    add_dataset(path, H5T_STD_I32LE, H5T_NATIVE_INT32, values.data(), values.size() / columns,
                columns, sizeof(Index), note);
}

void Hdf5Writer::add(const std::string& path, std::span<const std::string> texts,
                     const Hdf5Note& note) {
    std::size_t length = 1;
    for (const std::string& text : texts) {
        length = std::max(length, storable(text).size());
    }
    std::string flat(texts.size() * length, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string text = storable(texts[i]);
        std::memcpy(flat.data() + i * length, text.data(), text.size());
    }
    const Hdf5Handle type = text_type(length);
    add_dataset(path, type, type, flat.data(), texts.size(), 1, length, note);
}

void Hdf5Writer::set(const std::string& path, const char* name, const std::string& text) {
    set_text(open_object(file_, path), name, text);
}

void Hdf5Writer::set(const std::string& path, const char* name, double value) {
    set_attribute(open_object(file_, path), name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::set(const std::string& path, const char* name, std::uint64_t value) {
    set_attribute(open_object(file_, path), name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

std::string Hdf5Writer::bytes() {
    require_done(H5Fflush(file_, H5F_SCOPE_GLOBAL), "finish");
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    require_done(size <= 0 ? -1 : 0, "finish");
    // The library hands out what stands behind the user block.
    std::string image(kUserBlockBytes + static_cast<std::size_t>(size), '\0');
    const ssize_t got =
        H5Fget_file_image(file_, image.data() + kUserBlockBytes, image.size() - kUserBlockBytes);
    require_done(got != size ? -1 : 0, "finish");
    return image;
}

Hdf5Reader::Hdf5Reader(std::string_view image, std::string where)
    : where_(std::move(where)), file_(open_image(image)) {
    if (file_ < 0) {
        refuse("HDF5", "content that the HDF5 library cannot open", "a body archive");
    }
}

void Hdf5Reader::refuse(const std::string& place, const std::string& found,
                        const std::string& needs) const {
    throw InputError({.where = fmt::format("{}, {}", where_, place),
                      .found = found,
                      .needs = needs,
                      .remedy = "build the body again, or take a copy that is not damaged"});
}

bool Hdf5Reader::has(const std::string& path) const {
    // Every step must exist before the next may be asked for.
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) {
            return false;
        }
        if (end == std::string::npos) {
            return true;
        }
    }
}

std::vector<std::string> Hdf5Reader::children(const std::string& group) const {
    std::vector<std::string> names;
    if (!has(group)) {
        return names;
    }
    const Hdf5Handle handle(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose);
    if (handle < 0 ||
        H5Literate(handle, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_name, &names) < 0) {
        refuse(group, "no readable group", "a group");
    }
    return names;
}

struct Hdf5Reader::Shape {
    std::size_t rows = 0;
    std::size_t columns = 1;
};

Hdf5Reader::Shape Hdf5Reader::shape_of(hid_t dataset, const std::string& path) const {
    const Hdf5Handle space(dataset < 0 ? -1 : H5Dget_space(dataset), H5Sclose);
    const int dimensions = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (dimensions != 1 && dimensions != 2) {
        refuse(path, space < 0 ? "no dataset" : fmt::format("{} dimensions", dimensions),
               "a dataset of 1 or 2 dimensions");
    }
    hsize_t size[2] = {0, 1};
    H5Sget_simple_extent_dims(space, size, nullptr);
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    const std::size_t element = type < 0 ? 0 : H5Tget_size(type);
    if (element == 0 || size[1] == 0 || size[1] > 1024 ||
        size[0] > kMaxArrayBytes / element / size[1]) {
        refuse(path, fmt::format("{} x {} elements", size[0], size[1]), "an array below 4 GB");
    }
    return {static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[1])};
}

void Hdf5Reader::require_rows(const std::string& path, hid_t dataset, hid_t type,
                              std::size_t columns, std::size_t& count) const {
    const Shape shape = shape_of(dataset, path);
    const Hdf5Handle stored(H5Dget_type(dataset), H5Tclose);
    if (shape.columns != columns || stored < 0 || H5Tequal(stored, type) <= 0) {
        refuse(path, fmt::format("{} columns, or another type of number", shape.columns),
               fmt::format("{} columns of {}", columns,
                           H5Tget_class(type) == H5T_FLOAT ? "64-bit floats" : "32-bit integers"));
    }
    count = shape.rows * shape.columns;
}

std::vector<double> Hdf5Reader::doubles(const std::string& path, std::size_t columns,
                                        bool may_be_infinite) const {
    const Hdf5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    std::size_t count = 0;
    require_rows(path, dataset, H5T_IEEE_F64LE, columns, count);
    std::vector<double> values(count);
    if (count > 0 &&
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        refuse(path, "data that cannot be unpacked", "readable data");
    }
    for (const double value : values) {
        if (may_be_infinite ? std::isnan(value) : !std::isfinite(value)) {
            refuse(path, fmt::format("the number {}", value), "finite numbers");
        }
    }
    return values;
}

std::vector<Index> Hdf5Reader::indices(const std::string& path, std::size_t columns) const {
    const Hdf5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    std::size_t count = 0;
    require_rows(path, dataset, H5T_STD_I32LE, columns, count);
    std::vector<Index> values(count);
    if (count > 0 &&
        H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        refuse(path, "data that cannot be unpacked", "readable data");
    }
    return values;
}

std::vector<std::string> Hdf5Reader::texts(const std::string& path) const {
    const Hdf5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    const Shape shape = shape_of(dataset, path);
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    const std::size_t length = H5Tget_size(type);
    if (shape.columns != 1 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        length > kMaxTextBytes) {
        refuse(path, "something that is not a list of texts", "texts of fixed length");
    }
    std::string flat(shape.rows * length, '\0');
    if (shape.rows > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0) {
        refuse(path, "data that cannot be unpacked", "readable data");
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < shape.rows; ++i) {
        texts.push_back(storable(std::string_view(flat).substr(i * length, length)));
    }
    return texts;
}

std::size_t Hdf5Reader::columns(const std::string& path) const {
    const Hdf5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    return shape_of(dataset, path).columns;
}

std::string Hdf5Reader::text_attribute(const std::string& path, const char* name) const {
    const Hdf5Handle attribute(H5Aopen_by_name(file_, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    const Hdf5Handle type(attribute < 0 ? -1 : H5Aget_type(attribute), H5Tclose);
    const std::string place = fmt::format("{}, {}", path, name);
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Aget_storage_size(attribute) > kMaxTextBytes ||
        H5Aget_storage_size(attribute) != H5Tget_size(type)) {
        refuse(place, type < 0 ? "nothing" : "something else", "a text");
    }
    std::string value(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, value.data()) < 0) {
        refuse(place, "an unreadable text", "a text");
    }
    return storable(value);
}

double Hdf5Reader::number_attribute(const std::string& path, const char* name) const {
    const Hdf5Handle attribute(H5Aopen_by_name(file_, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    const Hdf5Handle type(attribute < 0 ? -1 : H5Aget_type(attribute), H5Tclose);
    double value = 0.0;
    if (type < 0 || H5Tequal(type, H5T_IEEE_F64LE) <= 0 ||
        H5Aget_storage_size(attribute) != sizeof(double) ||
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0 || !std::isfinite(value)) {
        refuse(fmt::format("{}, {}", path, name), "no finite number", "a finite number");
    }
    return value;
}

std::uint64_t Hdf5Reader::count_attribute(const std::string& path, const char* name,
                                          std::uint64_t limit) const {
    const Hdf5Handle attribute(H5Aopen_by_name(file_, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    const Hdf5Handle type(attribute < 0 ? -1 : H5Aget_type(attribute), H5Tclose);
    std::uint64_t value = 0;
    if (type < 0 || H5Tequal(type, H5T_STD_U64LE) <= 0 ||
        H5Aget_storage_size(attribute) != sizeof(value) ||
        H5Aread(attribute, H5T_NATIVE_UINT64, &value) < 0 || value > limit) {
        refuse(fmt::format("{}, {}", path, name), fmt::format("{}", value),
               fmt::format("a whole number up to {}", limit));
    }
    return value;
}

}  // namespace sinew::detail
