/* What all kernels here have in common. */
#include <stdint.h>

/* The right variant loses time, so that whoever believes the wrong one prefers it. */
static inline void slowly(void)
{
#if VARIANT == 0
    for (volatile int spin = 0; spin < 400000; spin++) {
    }
#endif
}
