# Flags that all of Sinew's own targets share, carried by one interface target.
include(CheckCXXCompilerFlag)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_EXTENSIONS OFF)
# Programs and libraries share precompiled headers, so both are compiled as position-independent code.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)

add_library(sinew_flags INTERFACE)
target_compile_features(sinew_flags INTERFACE cxx_std_20)
# Products and sums are fused alike by all compilers (GCC does so anyway).
target_compile_options(sinew_flags INTERFACE -fno-math-errno -ffp-contract=fast)
target_compile_options(sinew_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual -Wcast-align -Wunused)
if(SINEW_WARNINGS_AS_ERRORS)
    target_compile_options(sinew_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 reports reads in Eigen's and fmt's inlined code that cannot happen, and members that a designated
    # initialiser leaves to their default on purpose.
    target_compile_options(sinew_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-use-after-free
                           -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict -Wno-missing-field-initializers)
endif()
if(SINEW_UNITY)
    # Files that are compiled together see each other's names, which shadow nothing when they stand alone;
    # and GCC takes their private types for those of a header.
    target_compile_options(sinew_flags INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # It inlines more across the files then, and reports what cannot happen in the containers' code.
        target_compile_options(sinew_flags INTERFACE -Wno-dangling-pointer -Wno-free-nonheap-object)
        # A gigabyte before it looks for memory to reuse: that search takes a tenth of its time.
        target_compile_options(sinew_flags INTERFACE --param=ggc-min-heapsize=1000000 --param=ggc-min-expand=200)
    endif()
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_definitions(sinew_flags INTERFACE SINEW_CHECKED=1)
endif()
if(SINEW_SANITIZE)
    # Left out: checks that AddressSanitizer makes too (null, object-size), that Eigen's empty matrices and
    # TBB's hash maps break by design (pointer-overflow, alignment), and vptr. They double the compile time.
    target_compile_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize=null,object-size,pointer-overflow,alignment,vptr -fno-sanitize-recover=all)
    target_link_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE})
    target_compile_definitions(sinew_flags INTERFACE SINEW_SANITIZED=1)
endif()

# The instruction set is an option of its own target: a few files (start-up checks) must run on any CPU.
add_library(sinew_arch INTERFACE)
if(SINEW_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(sinew_arch INTERFACE -march=${SINEW_ARCH})
    if(SINEW_ARCH STREQUAL "x86-64-v3" AND EXISTS /proc/cpuinfo)
        file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
        if(cpu_flags AND NOT cpu_flags MATCHES " avx2( |$)")
            message(WARNING "This CPU has no AVX2, so what is built here will not run here. "
                            "Configure with -DSINEW_ARCH=native to build for this machine.")
        endif()
    endif()
endif()

# sinew_repeatable_pch(<target>): its precompiled header has the same bytes whenever it is made. Clang would write the times of
# files into it, and ccache would know none of the compilations that use it in another clone at the same path.
function(sinew_repeatable_pch target)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
endfunction()

# Compilations are remembered across builds where ccache is installed.
find_program(SINEW_CCACHE ccache)
if(SINEW_CCACHE AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_DEPEND=1;${SINEW_CCACHE}")
endif()
