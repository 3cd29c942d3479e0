/* What candle makes with each device, and its tests here never use: handles of cuBLAS and cuRAND. */
#define MADE(name) int name(void **handle) { *handle = handle; return 0; }
#define DONE(name) int name(void) { return 0; }

MADE(cublasCreate_v2)
DONE(cublasDestroy_v2)
DONE(cublasSetStream_v2)
MADE(curandCreateGenerator)
DONE(curandDestroyGenerator)
DONE(curandSetPseudoRandomGeneratorSeed)
DONE(curandSetStream)
