
@head@
@unused@
  @sizes@
//? if strides
  // Elements from one index to the next, by tensor.
  @strides@
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
