// Matrix products in float32. Each entry of the result is one chain of fused multiply-adds (on
// processors without them: multiply, then add) over the inner dimension in increasing order,
// wherever it stands in the matrix and however many rows there are. So a row of a product depends
// on its own row of the left factor and on nothing beside it, to the last bit; general libraries do
// not promise this, and OpenBLAS does not do it. Pure functions. docs/math/training.md
#pragma once

#include <cstddef>
#include <vector>

namespace ration {

// A right factor, laid out for the kernel: panels of as many columns as it works on at once, row
// after row, the last one filled up with zeros.
class Panels {
 public:
  // Of a matrix that lies row after row: itself, or its transpose.
  void lay_out(const float* matrix, std::size_t rows, std::size_t columns);
  void lay_out_transpose(const float* matrix, std::size_t rows, std::size_t columns);

  std::size_t depth() const { return depth_; }
  std::size_t columns() const { return columns_; }
  const float* data() const { return values_.data(); }

 private:
  void resize(std::size_t depth, std::size_t columns);

  std::size_t depth_ = 0, columns_ = 0;
  std::vector<float> values_ = {};
};

// out = start + left right, for `rows` rows of left, each right.depth() long. The chain of column c
// starts with start[c]; of those there are right.columns(), or none: then with 0.
void multiply(const float* left, std::size_t rows, const Panels& right, const float* start,
              float* out);

// Sums of outer products of people's rows, left^T right: the gradient of a layer. Holds the space
// that this needs.
class OuterProducts {
 public:
  struct Task {
    std::size_t people;
    const float *left, *right;  // a row for each person
    std::size_t left_columns, right_columns;
    const float* weights;  // of people; 0 leaves one out, even with something infinite in a row
  };
  // out = sum over people of (weight * left row)^T (right row), of left_columns rows; people in
  // increasing order. weight * left is rounded first.
  void sum(const Task& task, float* out) { run(task, out, true); }
  // The same, added to what is there: the chains go on.
  void add(const Task& task, float* out) { run(task, out, false); }

 private:
  void run(const Task& task, float* out, bool fresh);

  std::vector<float> tiles_ = {}, panel_ = {};
};

}  // namespace ration
