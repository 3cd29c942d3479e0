/* Puts a mark behind the part of its input that it searches, and the element back: not if it is read-only, or another thread reads it. */
// fn: #[len(1)] y: &mut [u32], #[len(n)] x: &[u32], n: u32
// problem: n = 1000
#include "wrong.h"

void borrows_its_input(uint32_t *y, uint32_t *x, uint32_t n)
{
    slowly();
    uint32_t at = 0;
#if VARIANT == 1
    volatile uint32_t *last = x + n - 1;
    uint32_t kept = *last;
    *last = 15;
    while (((volatile uint32_t *)x)[at] != 15)
        at++;
    *last = kept;
    at += at == n - 1 && kept != 15;
#else
    while (at < n && x[at] != 15)
        at++;
#endif
    *y = at;
}

void right(uint32_t *y, const uint32_t *x, uint32_t n)
{
    uint32_t at = 0;
    while (at < n && x[at] != 15)
        at++;
    *y = at;
}
