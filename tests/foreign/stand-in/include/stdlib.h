#pragma once
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
static inline int atoi(const char *) { return 0; }
static inline int rand() { return 0; }
static inline void srand(unsigned) {}
static inline void exit(int) { __builtin_trap(); }
static inline void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void *operator new[](size_t size) { return malloc(size); }
void operator delete[](void *at) noexcept { free(at); }
void operator delete[](void *at, size_t) noexcept { free(at); }
namespace std {
using ::size_t;
template <class T> struct host_plain { typedef T type; };
template <class T> struct host_plain<T &> { typedef T type; };
template <class T> constexpr T &&forward(typename host_plain<T>::type &value) { return (T &&)value; }
}
