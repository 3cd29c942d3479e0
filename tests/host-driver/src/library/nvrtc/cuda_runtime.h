// The calls of CUDA's runtime in code of the host, beside which a kernel stands: that compiles, and is never run.
#pragma once

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
  int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, l2CacheSize;
};
#define HOST_CALL(NAME) template <class... T> static inline cudaError_t NAME(T...) { return cudaSuccess; }
HOST_CALL(cudaMalloc) HOST_CALL(cudaFree) HOST_CALL(cudaMemcpy) HOST_CALL(cudaMemset)
HOST_CALL(cudaSetDevice) HOST_CALL(cudaGetDeviceCount) HOST_CALL(cudaGetDeviceProperties)
HOST_CALL(cudaDeviceSynchronize) HOST_CALL(cudaGetLastError) HOST_CALL(cudaFuncSetAttribute)
HOST_CALL(cudaEventCreate) HOST_CALL(cudaEventRecord) HOST_CALL(cudaEventSynchronize) HOST_CALL(cudaEventElapsedTime)
#undef HOST_CALL
static inline const char *cudaGetErrorString(cudaError_t) { return ""; }
