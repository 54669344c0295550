# Training, which only the program uses.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)

target_sources(ration PRIVATE
  ration/train/architecture.cc
  ration/train/product.cc
  ration/train/network.cc
  ration/train/loss_kernel.cc
  ration/train/square_norm.cc
  ration/train/pass.cc
  ration/train/full_batch.cc
  ration/train/auc.cc
  ration/train/metrics.cc
  ration/train/optimiser.cc
  ration/train/initial.cc
  ration/train/secret_stream.cc
  ration/train/lattice.cc
  ration/train/lattice_kernel.cc
  ration/train/normal_pair.cc
  ration/train/normal_kernel.cc
  ration/train/noise.cc
  ration/train/poisson_sample.cc
  ration/train/rounding.cc
  ration/train/ledger.cc
  ration/train/journal.cc
  ration/train/journal_replay.cc
  ration/train/checkpoint.cc
  ration/train/training_plan.cc
  ration/train/clipping.cc
  ration/train/block_sums.cc
  ration/train/trainer.cc
  ration/train/everybody.cc
  ration/train/plain_trainer.cc
  ration/train/toml_reader.cc
  ration/train/data_settings.cc
  ration/train/settings.cc
  ration/train/run_directory.cc
  ration/train/records.cc
  ration/train/logbook.cc
  ration/train/run.cc)
target_include_directories(ration SYSTEM PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIR})
