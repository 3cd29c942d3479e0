/* The product of bico-kernels, with fewer parameters: the rest are its defaults. */
#include "../../../kernels/kernels/gemm.c"
