#!/bin/sh
# Compiles the sources of this folder, and the kernels beside crates/debuginfo/tests/fixtures, with the compilers that
# are at hand and all their levels of debug information and optimization: compile.sh OUT
set -eu
out=${1:?the folder for the modules}
here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../../../debuginfo/tests/fixtures
mkdir -p "$out"

# What a compiler refuses is no matter here.
into() { # NAME COMMAND…
    name=$1
    shift
    "$@" -o "$out/$name.spv" >/dev/null 2>&1 || rm -f "$out/$name.spv"
}

if command -v glslangValidator >/dev/null; then
    for source in "$here"/*.vert "$here"/*.frag "$here"/*.tesc "$here"/*.tese "$here"/*.geom "$here"/*.comp; do
        name=$(basename "$source").glslang
        into "$name" glslangValidator -V --target-env vulkan1.2 "$source"
        for flags in -g -gVS '-g -Od' '-gVS -Od' '-gVS -Os'; do
            # The flags are words.
            # shellcheck disable=SC2086
            into "$name$(echo "$flags" | tr -d ' ')" glslangValidator -V --target-env vulkan1.2 $flags "$source"
        done
    done
    into shade.frag.hlsl.glslang-gVS glslangValidator -D -V -S frag -e main -gVS "$here/shade.frag.hlsl"
fi
if command -v glslc >/dev/null; then
    for source in "$here"/*.vert "$here"/*.frag "$here"/*.tesc "$here"/*.tese "$here"/*.geom "$here"/*.comp; do
        for level in -O0 -O -Os; do
            into "$(basename "$source").glslc-g$level" glslc --target-env=vulkan1.2 -g $level "$source"
        done
    done
fi
if command -v clang-15 >/dev/null && command -v llvm-spirv-15 >/dev/null; then
    bitcode=$(mktemp)
    trap 'rm -f "$bitcode"' EXIT
    for source in "$here"/*.cl "$kernels"/*.cl; do
        for flags in -g0 '-g -O0' '-g -O2' '-gline-tables-only -O1'; do
            # shellcheck disable=SC2086
            clang-15 -cl-std=CL2.0 --target=spir64 -Xclang -finclude-default-header $flags -c -emit-llvm "$source" \
                -o "$bitcode" || continue
            name=$(basename "$source").clang$(echo "$flags" | tr -d ' ')
            into "$name" llvm-spirv-15 --spirv-max-version=1.2 --spirv-debug-info-version=ocl-100 "$bitcode"
        done
    done
fi
if command -v naga >/dev/null; then
    naga -g "$here/blur.wgsl" "$out/blur.wgsl.naga-g.spv"
fi
