// The reference: one thread per element of C, nothing shared, sums in double.
extern "C" __global__ void @entry@(@parameters@) {
  @sizes@
  size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  @indices@
  if (element > 0)
    return;
  @bounds@
  double sum = 0;
  @sums@
//? if elementwise
  sum *= @factor@;
//? end
  @to@ = @result@;
}
