#!/usr/bin/env bash
# What the shipped configurations reach on Fashion-MNIST: at least 80% of the test people right at
# epsilon 2.75, delta 1e-5, and at least 87% with the same network without privacy. usage: utility.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
ration=$(cd "$1" && pwd)/ration
if [ ! -e /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ]; then
  echo "skipped: the distribution's package of Fashion-MNIST is not installed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {  # name, least accuracy, most epsilon, arguments
  local name=$1 least=$2 most=$3
  shift 3
  (cd "$here" && "$ration" train "$@" --out "$work/$name") >"$work/log"
  awk -F, -v name="$name" -v least="$least" -v most="$most" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    { accuracy = $column["test_accuracy"]; epsilon = $column["epsilon"] }
    END {
      printf "%s: accuracy %.4f (at least %s), epsilon %s (at most %s)\n", name, accuracy, least, epsilon, most
      exit !(accuracy >= least && (most == "inf" || epsilon + 0 <= most + 0))
    }' "$work/$name/epochs.csv"
}
check gd 0.80 2.75 examples/configs/fashion-mnist-gd.toml
check sgd 0.80 2.75 examples/configs/fashion-mnist-sgd.toml
check plain 0.87 inf examples/configs/fashion-mnist-sgd.toml --set privacy.mode=none --set optimiser.rate=0.05 --epochs 20
