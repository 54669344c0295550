# Two commands do everything on a fresh Debian or Ubuntu: `make demo` and `make test`.
# They install what they need from the distribution's packages, configure, build and run.

.DEFAULT_GOAL := help
.PHONY: help demo test build install packages tidy soak bench fuzz format manual picture clean

# What each need is called in the distribution. Arb is part of FLINT from FLINT 3 on.
PACKAGES := g++ cmake ninja-build libhwy-dev libfmt-dev libeigen3-dev libopenblas-dev libsodium-dev \
            zlib1g-dev libsqlite3-dev libpq-dev libtomlplusplus-dev libcli11-dev \
            nlohmann-json3-dev libjs-chart.js python3-dev pybind11-dev python3-numpy python3-pytest \
            libgtest-dev librapidcheck-dev libbenchmark-dev libflint-dev
ARB_PACKAGE := libflint-arb-dev
DATA_PACKAGE := dataset-fashion-mnist
# What the further suites of .ci/run need on top.
CI_PACKAGES := clang clang-format clang-tidy libomp-dev chromium python3-venv mypy postgresql
FUZZ_TARGETS := plan_csv_fuzz pair_csv_fuzz npy_fuzz state_fuzz saved_fuzz journal_fuzz groups_fuzz \
                idx_fuzz feature_csv_fuzz npz_fuzz settings_fuzz results_fuzz long_norms_fuzz

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Without Fashion-MNIST in the distribution: the synthetic clinical cohort.
FASHION_MNIST := /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
DEMO = examples/configs/$(if $(wildcard $(FASHION_MNIST)),fashion-mnist-gd,clinical).toml
demo: build/build.ninja ## train privately, with an account and a filter for every person
	@cmake --build --preset release --target ration_program
	@rm -rf build/demo
	@scripts/demo build/ration $(DEMO) build/demo

test: build ## build everything and run the tests
	ctest --preset release --parallel 2

build: build/build.ninja ## install packages, configure and build; the program is build/ration
	cmake --build --preset release

# With DESTDIR, into a folder that stands for the root of the system, as packagers do it.
PREFIX ?= /usr/local
install: build/build.ninja ## program, library, headers, completion and man page, into PREFIX (/usr/local)
	cmake --build --preset release --target ration_program ration
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)" --component Unspecified

build/build.ninja: build/.packages
	cmake --preset release
	@touch $@

packages: build/.packages ## install what building needs, also for `pip install .`
build/.packages: Makefile
	@scripts/install-packages $(PACKAGES) $(ARB_PACKAGE)? $(DATA_PACKAGE)?
	@mkdir -p build && touch $@

build/.ci-packages: Makefile
	@scripts/install-packages $(CI_PACKAGES) libclang-rt-dev? libclang-rt-14-dev?
	@mkdir -p build && touch $@

tidy: build build/.ci-packages ## clang-tidy over the library, the program and the examples (10 minutes)
	cmake --preset release -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	git ls-files 'ration/*.cc' 'cli/*.cc' 'examples/*.cc' | xargs -P 2 -n 4 clang-tidy -p build/tidy --quiet

soak: build tidy ## the long tests: 10^6 random cases against Arb, every fault, and clang-tidy (an hour or two)
	RATION_CASES=1000000 RATION_KILLS=500 RATION_FAULTS=all ctest --preset release --parallel 2 --timeout 7200

bench: build ## measure; docs/performance.md holds the last figures
	build/ration_bench

fuzz: build/.packages build/.ci-packages ## fuzz the readers for a minute each
	cmake --preset asan && cmake --build --preset asan --target $(FUZZ_TARGETS)
	for target in $(FUZZ_TARGETS); do build/asan/$$target -max_total_time=60 || exit 1; done

format: build/.ci-packages ## clang-format over the tree
	git ls-files '*.cc' '*.h' | xargs clang-format -i

manual: build ## write docs/commands.md and docs/settings.md from the program's own help
	build/ration manual > docs/commands.md
	build/ration manual --settings > docs/settings.md

picture: demo ## draw the picture of README.md anew, from a run of the demo on Fashion-MNIST
	cmake --build --preset release --target ration_tests
	RATION_DEMO=build/demo build/ration_tests --gtest_filter='DemoPicture.*'

clean: ## remove what was built
	rm -rf build
