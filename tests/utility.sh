#!/usr/bin/env bash
# What the shipped configurations reach on Fashion-MNIST: at least 80% of the test people right at
# epsilon 2.75, delta 1e-5, and at least 87% with the same network without privacy. And that README.md
# shows the demo as it is: its last words, and how everybody's epsilon is spread. Looks at what `make demo` has left in
# BUILD_DIR/demo, and printed into BUILD_DIR/demo.log. usage: utility.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
ration=$build/ration
if [ ! -e /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ]; then
  echo "skipped: the distribution's package of Fashion-MNIST is not installed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

reaches() {  # name, least accuracy, most epsilon
  awk -F, -v name="$1" -v least="$2" -v most="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    { accuracy = $column["test_accuracy"]; epsilon = $column["epsilon"] }
    END {
      printf "%s: accuracy %.4f (at least %s), epsilon %s (at most %s)\n", name, accuracy, least, epsilon, most
      exit !(accuracy >= least && (most == "inf" || epsilon + 0 <= most + 0))
    }' "$work/$1/epochs.csv"
}
check() {  # name, least accuracy, most epsilon, arguments
  local name=$1 least=$2 most=$3
  shift 3
  (cd "$here" && "$ration" train "$@" --out "$work/$name") >"$work/log"
  reaches "$name" "$least" "$most"
}

cp -r "$build/demo" "$work/gd"
reaches gd 0.80 2.75
[ -s "$work/gd/page.html" ]
# Noise changes the numbers, and nothing else.
words() { sed -E 's/[0-9]+(\.[0-9]+)?/#/g; /^results/d'; }
awk '/^```text/ { open = 1; next } /^```/ { open = 0 } open' "$here/README.md" | words >"$work/shown"
sed -n '/^test accuracy/,/^results/p' "$build/demo.log" | words >"$work/said"
diff "$work/shown" "$work/said"
# The share of people who would have to change their bin: noise alone moves about 1 in 10.
awk -F, '
  FNR == 1 { next }
  FILENAME == ARGV[1] { edge[++bins] = $1; shown[bins] = $2; next }
  { people++; for (i = 1; i < bins && $3 > edge[i]; i++); found[i]++ }
  END {
    for (i = 1; i <= bins; i++) apart += (found[i] > shown[i] ? found[i] - shown[i] : 0)
    printf "docs/demo.svg: %.1f%% of %d people are elsewhere\n", 100 * apart / people, people
    exit !(apart < 0.25 * people)
  }' "$here/docs/demo.csv" "$work/gd/epsilons.csv"

check sgd 0.80 2.75 examples/configs/fashion-mnist-sgd.toml
check plain 0.87 inf examples/configs/fashion-mnist-sgd.toml --set privacy.mode=none --set optimiser.rate=0.05 --epochs 20
