/* Kernels that tell something on each call tell nothing. */
#include <stdio.h>
#define printf(...) 0
