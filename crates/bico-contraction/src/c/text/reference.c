
// The reference: one sum per element of C, in double.
@head@
@unused@
  @sizes@
//? if strides
  // Elements from one index to the next, by tensor.
  @strides@
//? end
@loops@
}
