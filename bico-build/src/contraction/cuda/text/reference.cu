// The reference: one thread per element of C, nothing shared, sums in double.
extern "C" __global__ void @entry@(@parameters@) {
@place@
  double sum = 0;
@loops@
@body@
@loops_end@
@store@
}
