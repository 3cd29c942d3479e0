// Runs generated kernels on data from a file and writes what they compute. Poison around all buffers shows reads and
// writes outside of them; with a sanitizer, which sees more, buffers end where their memory does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#ifdef __SANITIZE_ADDRESS__
#define GUARD 0
#else
#define GUARD 256
#endif
#define POISON 0x7fc5a5a5u // a NaN

static void fail(const char *what, size_t test) {
  printf("case %zu: %s\n", test, what);
  exit(1);
}

// A buffer of `length` floats, all poison, between poison.
static float *buffer(size_t length) {
  void *memory;
  if (posix_memalign(&memory, 64, 4 * (length + 2 * GUARD) + (length == 0)))
    exit(2);
  for (size_t i = 0; i < length + 2 * GUARD; i++)
    ((uint32_t *)memory)[i] = POISON;
  return (float *)memory + GUARD;
}

static void check_guards(const float *data, size_t length, const char *what, size_t test) {
  for (size_t i = GUARD; i-- > 0;) {
    uint32_t before, after;
    memcpy(&before, data - GUARD + i, 4);
    memcpy(&after, data + length + i, 4);
    if (before != POISON || after != POISON)
      fail(what, test);
  }
}

int main(int argc, char **argv) {
  FILE *in = argc > 2 ? fopen(argv[1], "rb") : 0, *out = argc > 2 ? fopen(argv[2], "wb") : 0;
  if (!in || !out)
    return 2;
  for (size_t test = 0; test < sizeof cases / sizeof *cases; test++) {
    const struct test *t = &cases[test];
    float *tensors[4], *scratch[2];
    for (int i = 0; i < 4; i++) {
      tensors[i] = buffer(t->lengths[i]);
      if (i != 2 && fread(tensors[i], 4, t->lengths[i], in) != t->lengths[i])
        fail("no data", test);
    }
    for (int i = 0; i < 2; i++)
      scratch[i] = buffer(t->scratch[i]);
    t->run(tensors, scratch);
    for (int i = 0; i < 4; i++)
      check_guards(tensors[i], t->lengths[i], "written outside of a tensor", test);
    for (int i = 0; i < 2; i++)
      check_guards(scratch[i], t->scratch[i], "written outside of scratch", test);
    if (fwrite(tensors[2], 4, t->lengths[2], out) != t->lengths[2])
      fail("no room for the output", test);
    for (int i = 0; i < 4; i++)
      free(tensors[i] - GUARD);
    for (int i = 0; i < 2; i++)
      free(scratch[i] - GUARD);
  }
  return fclose(out) != 0;
}
