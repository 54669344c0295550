#!/usr/bin/env bash
# How long `ration account` takes from start to end, against reading the same file with cat from the
# page cache, in the same run. Asked for: at most 3 times cat, plus 2 s, for 60,000 people x 2,000
# steps of float32.
#
# usage: account_end_to_end.sh RATION [PEOPLE [STEPS [OPTIONS...]]]
set -euo pipefail
ration=$1 people=${2:-60000} steps=${3:-2000}
shift $(($# < 3 ? $# : 3))
options=("$@")
[ $# -gt 0 ] || options=(--noise 2 --rate 0.01 --delta 1e-6)
work=$(mktemp -d "${TMPDIR:-/tmp}/ration.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Each person has a scale of their own, and varies around it from step to step: a row is cut at a
# random place out of a pool of factors, and every person's scale is one of eight.
perl -e 'my ($steps, $people) = @ARGV; binmode STDOUT; srand 1;
  printf "\x93NUMPY\x01\x00\x76\x00%-117s\n",
    "{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, \x27shape\x27: ($steps, $people), }";
  my $pool = pack "f<*", map { 1.5 * exp(-0.5 * ($_ & 7) - 0.7 * rand) } 1 .. $people + 80000;
  print substr $pool, 32 * int(rand 10000), 4 * $people for 1 .. $steps' \
  "$steps" "$people" >"$work/norms.npy"

seconds() { local from=$EPOCHREALTIME; "$@" >/dev/null; echo "$from $EPOCHREALTIME" | awk '{ print $2 - $1 }'; }
best_of() {
  local best=1e9 now
  for _ in 1 2 3; do
    now=$(seconds "$@")
    best=$(awk -v a="$best" -v b="$now" 'BEGIN { print a < b ? a : b }')
  done
  echo "$best"
}
read_it() { cat "$work/norms.npy" >/dev/null; }
cat_time=$(best_of read_it)
account_time=$(best_of "$ration" account "$work/norms.npy" "${options[@]}")
awk -v c="$cat_time" -v a="$account_time" -v n="$people" -v k="$steps" 'BEGIN {
  printf "%d people x %d steps: cat %.3f s, ration account %.3f s\n", n, k, c, a
  printf "asked for: 3 cat + 2 s = %.3f s; takes %.2f of that\n", 3 * c + 2, a / (3 * c + 2) }'
