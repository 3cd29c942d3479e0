
@head@
@unused@
  @sizes@
//? if strides
  // Elements from one index to the next, by tensor.
  @strides@
//? end
//? if empty_sums
  if (@no_sums@) { // all sums are empty
    for (size_t i = 0; i < @elements@; i++)
      out_c[i] = 0.0f;
    return;
  }
//? end
  @extents@
//? if keeps_a
  struct block kept_a = {0, 0, 0};
//? end
//? if keeps_b
  struct block kept_b = {0, 0, 0};
//? end
@loops@
}
