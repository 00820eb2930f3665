#!/bin/sh
# Fetches simdjson's two single-header files into FOLDER (created):
#
#   cmake/fetch_simdjson.sh FOLDER
#
# Debian 12 has simdjson as a shared library only, and a static binary cannot
# link that; the distribution's *source* package holds the same release as one
# .cpp and one .h. apt fetches it through lists of its own, which are derived
# from the machine's configured package sources (deb becomes deb-src), so
# neither the machine's apt configuration nor its package lists are touched,
# and no root is needed. The archive and both files are checked against the
# sums below. Safe to run twice at once: the files appear by one rename.
set -eu

version=3.0.1-1
archive=simdjson_3.0.1.orig.tar.gz
inside=simdjson-3.0.1/singleheader
archive_sha256=156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed
cpp_sha256=3911df6dfec471668231fd47bc2f96378567a12fcd74669bc9dfad28fa182ea7
header_sha256=5ce048173caafa1e4b71872cedf10c011698b336a34fab2905f94dc377918f19

die() {
  echo "fetch_simdjson: $*" >&2
  exit 1
}

[ $# -eq 1 ] || die "usage: fetch_simdjson.sh FOLDER"
folder=$1

# sums_hold FOLDER: the two files are there and are the ones we know.
sums_hold() {
  printf '%s  %s\n' "$cpp_sha256" "$1/simdjson.cpp" \
    "$header_sha256" "$1/simdjson.h" | sha256sum --check --status 2>/dev/null
}

sums_hold "$folder" && exit 0
command -v apt-get >/dev/null ||
  die "no apt-get here; set TRAINSIGHT_SIMDJSON_DIR to a folder with simdjson.cpp and simdjson.h"

mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd)
chmod 755 "$work"

# The machine's package sources, as source-package lists of our own.
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" \
  "$work/out"
count=0
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -f "$file" ] || continue
  count=$((count + 1))
  sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]])/deb-src\2/p' "$file" |
    sort -u >"$work/parts/$count.list"
done
for file in /etc/apt/sources.list.d/*.sources; do
  [ -f "$file" ] || continue
  count=$((count + 1))
  sed -E 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$work/parts/$count.sources"
done
[ "$count" -gt 0 ] || die "apt has no package sources configured"

own_apt() {
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

# A third party's repository without sources makes the update complain; what
# counts is whether the one package can be had.
own_apt update >"$work/log" 2>&1 || true
if ! (cd "$work/out" &&
  own_apt source --download-only "simdjson=$version") >>"$work/log" 2>&1; then
  cat "$work/log" >&2
  die "cannot fetch the source package simdjson=$version"
fi

printf '%s  %s\n' "$archive_sha256" "$work/out/$archive" |
  sha256sum --check --status || die "$archive has another sha256 than expected"
tar --no-same-owner -xzf "$work/out/$archive" -C "$work/out" \
  "$inside/simdjson.cpp" "$inside/simdjson.h"
sums_hold "$work/out/$inside" || die "the unpacked files are not the expected ones"

sums_hold "$folder" || rm -rf "$folder"
mv -T "$work/out/$inside" "$folder" 2>/dev/null || sums_hold "$folder" ||
  die "cannot move the files to $folder"
echo "fetch_simdjson: simdjson $version is in $folder"
