#!/usr/bin/env bash
# The paper made anew, in small: every figure with its files. It says how long that took.
# usage: reproduce.sh BUILD_DIR. The page is left in BUILD_DIR/reproduced.
set -euo pipefail
build=$(cd "$1" && pwd)
if [ ! -e /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ]; then
  echo "skipped: the distribution's package of Fashion-MNIST is not installed"
  exit 0
fi
rm -rf "$build/reproduced"
SECONDS=0
timeout 900 "$build/ration" reproduce all --quick --json --out "$build/reproduced" >"$build/reproduced.json"
echo "made anew in $SECONDS s"

python3 - "$build/reproduced.json" <<'PYTHON'
import csv, json, os, sys

made = json.load(open(sys.argv[1]))
names = [figure["name"] for figure in made["figures"]]
assert names == [
    "gdp-vs-rdp-delta", "gdp-vs-rdp-steps", "gdp-vs-rdp-largest-k",
    "mnist-one-person", "mnist-epsilons-delta-1e-06", "mnist-epsilons-delta-1e-05",
    "clinical-groups", "clinical-clipping-2.75", "clinical-clipping-0.5", "clinical-clipping-10",
    "clinical-histograms-1x", "clinical-histograms-5x",
    "tight-filter-steps", "tight-filter-adversary"], names
for figure in made["figures"]:
    endings = {os.path.splitext(file)[1] for file in figure["files"]}
    assert endings == {".csv", ".svg", ".pdf", ".md"}, figure["files"]
    for file in figure["files"]:
        assert os.path.getsize(file) > 100, file
        private = os.stat(file).st_mode & 0o077 == 0
        assert private == figure["private"], file
    assert figure["claim"] and figure["held"] == all(each["held"] for each in figure["findings"])
    print(f"{figure['name']}: {'held' if figure['held'] else 'did not hold'}")
    assert all(("finding" in each) != figure["private"] for each in figure["findings"])

# Closed forms: their verdicts are known.
verdicts = {figure["name"]: [each["held"] for each in figure["findings"]] for figure in made["figures"]}
assert verdicts["gdp-vs-rdp-delta"] == [True, True], verdicts
assert verdicts["gdp-vs-rdp-steps"] == [True, True, True], verdicts
assert verdicts["gdp-vs-rdp-largest-k"] == [False, True, True], verdicts

# Certified bounds, and paths from a fixed seed: more steps than under Renyi in every setting, natural accounting
# broken and the tight filter not.
assert all(verdicts["tight-filter-steps"][0::2] + verdicts["tight-filter-adversary"]), verdicts

# Every verdict follows from claims.csv: a run agrees if all of its numbers do, and most runs decide.
runs = {}
for row in csv.DictReader(open(made["claims"])):
    agrees = (row["above"] == "" or float(row["lower"]) > float(row["above"])) and (
        row["below"] == "" or float(row["upper"]) < float(row["below"]))
    assert agrees == (row["held"] == "1"), row
    of_claim = runs.setdefault((row["figure"], row["statement"]), {})
    of_claim[row["run"]] = of_claim.get(row["run"], True) and agrees
for figure in made["figures"]:
    for each in figure["findings"]:
        of_claim = runs[figure["name"], each["claim"]].values()
        assert each["held"] == (2 * sum(of_claim) > len(of_claim)), each
page = open(made["page"]).read()
assert all(f'id="{name}"' in page for name in names)
PYTHON
