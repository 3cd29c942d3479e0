
// One step along K: the outer product of @ROWS@ floats of @R@ and @COLS@ floats of @C@.
static inline __attribute__((always_inline)) void
step(vec sum[@ROWS@][NV], const float *restrict @r@, const float *restrict @c@) {
  vec row[NV];
  UNROLL for (size_t v = 0; v < NV; v++) row[v] = ((const vec *)@c@)[v];
  UNROLL for (size_t i = 0; i < @ROWS@; i++)
    UNROLL for (size_t v = 0; v < NV; v++) sum[i][v] += @r@[i] * row[v];
#if PF_A
  UNROLL for (size_t x = 0; x < @ROWS@; x += 16)
    __builtin_prefetch(@r@ + PF_A * @ROWS@ + x, 0, 3);
#endif
}

// The sums of one register tile, from one panel of @R@ and one of @C@.
static inline __attribute__((always_inline)) void
accumulate(vec sum[@ROWS@][NV], const float *restrict @r@, const float *restrict @c@,
           size_t depth) {
  UNROLL for (size_t i = 0; i < @ROWS@; i++)
    UNROLL for (size_t v = 0; v < NV; v++) sum[i][v] = (vec){0};
  size_t p = 0;
  for (; p + KU <= depth; p += KU, @r@ += KU * @ROWS@, @c@ += KU * @COLS@)
    UNROLL for (size_t u = 0; u < KU; u++)
      step(sum, @r@ + u * @ROWS@, @c@ + u * @COLS@);
//? if deep_ragged
#if KU > 1
  for (; p < depth; p++, @r@ += @ROWS@, @c@ += @COLS@)
    step(sum, @r@, @c@);
#endif
//? end
}

// Where sums go, and how.
struct output {
  float *c;   // the first element of C
  size_t row; // elements from one row of the register tile to the next
//? if !direct
  size_t col; // and from one of its columns to the next
//? end
  int add;    // add to what is there; else replace it, without reading it
//? if scaled
  const float *d; // as `c`, `row` and `col` for D
  size_t d_row;
//? if !direct
  size_t d_col;
//? end
  int last;       // nothing is added afterwards: multiply by D
//? end
};
//? if direct

// A register tile that lies within C.
static inline void full_tile(struct output to, const float *restrict @r@,
                             const float *restrict @c@, size_t depth) {
#if PF_C
  UNROLL for (size_t i = 0; i < @ROWS@; i++)
    UNROLL for (size_t x = 0; x < @COLS@; x += 16)
      __builtin_prefetch(to.c + i * to.row + x, 1, 3);
#endif
  vec sum[@ROWS@][NV];
  accumulate(sum, @r@, @c@, depth);
//? if scaled
  UNROLL for (size_t i = 0; i < @ROWS@; i++)
    UNROLL for (size_t v = 0; v < NV; v++) {
      vec_u *c = (vec_u *)(to.c + i * to.row) + v;
      const vec_u *d = (const vec_u *)(to.d + i * to.d_row) + v;
      if (to.add)
        sum[i][v] += *c;
      if (to.last)
        sum[i][v] *= *d;
      *c = sum[i][v];
    }
//? else
  if (to.add) {
    UNROLL for (size_t i = 0; i < @ROWS@; i++)
      UNROLL for (size_t v = 0; v < NV; v++)
        ((vec_u *)(to.c + i * to.row))[v] += sum[i][v];
  } else {
    UNROLL for (size_t i = 0; i < @ROWS@; i++)
      UNROLL for (size_t v = 0; v < NV; v++)
        ((vec_u *)(to.c + i * to.row))[v] = sum[i][v];
  }
//? end
}
//? end
//? if edges

//? if direct
// A register tile of which C only has the first `rows` x `cols` elements: they
// are picked from a local copy.
//? else
// A register tile of which C has the first `rows` x `cols` elements, which are
// no neighbours there: they are picked from a local copy.
//? end
static void edge_tile(struct output to, const float *restrict @r@,
                      const float *restrict @c@, size_t depth, size_t rows,
                      size_t cols) {
  vec sum[@ROWS@][NV];
  accumulate(sum, @r@, @c@, depth);
  vec local[@ROWS@ * NV];
  UNROLL for (size_t i = 0; i < @ROWS@; i++)
    UNROLL for (size_t v = 0; v < NV; v++) local[i * NV + v] = sum[i][v];
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) {
      float value = local[i * NV + j / VL][j % VL];
//? if direct
      float *c = to.c + i * to.row + j;
//? else
      float *c = to.c + i * to.row + j * to.col;
//? end
      if (to.add)
        value += *c;
//? if scaled
      if (to.last)
//? if direct
        value *= to.d[i * to.d_row + j];
//? else
        value *= to.d[i * to.d_row + j * to.d_col];
//? end
//? end
      *c = value;
    }
}
//? end

// The product of a packed block of @R@ and one of @C@: each panel of @C@ meets all
// panels of @R@ while it is in the nearest cache.
static void multiply(struct output to, const float *restrict packed_@r@,
                     const float *restrict packed_@c@, size_t rows, size_t cols,
                     size_t depth) {
  for (size_t j = 0; j < cols; j += @COLS@)
    for (size_t i = 0; i < rows; i += @ROWS@) {
      const float *@r@ = packed_@r@ + i * depth, *@c@ = packed_@c@ + j * depth;
      struct output at = to;
//? if direct
      at.c += i * to.row + j;
//? if scaled
      at.d += i * to.d_row + j;
//? end
//? else
      at.c += i * to.row + j * to.col;
//? if scaled
      at.d += i * to.d_row + j * to.d_col;
//? end
//? end
//? if both
      if (rows - i >= @ROWS@ && cols - j >= @COLS@)
        full_tile(at, @r@, @c@, depth);
      else
        edge_tile(at, @r@, @c@, depth, min_size(@ROWS@, rows - i),
                  min_size(@COLS@, cols - j));
//? else
//? if direct
      full_tile(at, @r@, @c@, depth);
//? else
      edge_tile(at, @r@, @c@, depth, min_size(@ROWS@, rows - i),
                min_size(@COLS@, cols - j));
//? end
//? end
    }
}
