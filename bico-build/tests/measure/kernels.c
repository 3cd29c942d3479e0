/* out = alpha * x, right or wrong in as many ways as there are values of MODE. */
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if MODE == 17
#error this config does not compile
#endif

static int deeper(volatile char *above)
{
    volatile char room[1 << 16];
    room[0] = *above;
    return room[0] + deeper(room) + above[0];
}

void scale(float *out, const float *x, float alpha, uint32_t n)
{
    float *input = (float *)x;
    static int calls;
    calls++;
    (void)input;
    (void)deeper;
#if MODE >= 1000
    static volatile int salt = MODE;
    salt++;
#endif
    for (uint32_t i = 0; i < n; i++)
        if (MODE != 10 || i + 1 < n)
            out[i] = alpha * x[i];
#if MODE == 1
    *(volatile int *)8 = 1;
#elif MODE == 2
    abort();
#elif MODE == 3
    exit(0);
#elif MODE == 4
    for (volatile int run = 1; run;)
        ;
#elif MODE == 5
    out[n] = 1;
#elif MODE == 6
    out[-1] = 1;
#elif MODE == 7
    input[n] = 1;
#elif MODE == 8
    input[-1] = 1;
#elif MODE == 9
    if (n > 500)
        out[77] += 0.5f;
#elif MODE == 11
    input[n / 2] = 9;
#elif MODE == 12
    for (volatile char *block; (block = malloc(1 << 26));)
        block[0] = 1;
    abort();
#elif MODE == 13
    printf("{\"Ready\":null}\nbico: garbage without an end");
    fflush(stdout);
#elif MODE == 14
    if (calls < 3 && fork() == 0)
        for (;;)
            pause();
#elif MODE == 15
    fork();
#elif MODE == 16
    fesetround(FE_UPWARD);
#elif MODE == 18
    volatile char start = 1;
    deeper(&start);
#elif MODE == 19
    for (int file = 3; file < 64; file++)
        close(file);
#elif MODE == 20
    // Zeroed: what looks like the size of an invalid block decides how glibc finds out.
    char *volatile block = calloc(100, 1);
    block += 8;
    free(block);
#elif MODE == 21
    if (n % 8)
        out[n - 1] = 0;
#elif MODE == 22
    char line[64];
    if (fgets(line, sizeof line, stdin))
        out[0] = 0;
#elif MODE == 23
    out[n + 10000] = 1;
#elif MODE == 24
    kill(getpid(), SIGSTOP);
#elif MODE == 25
    if (calls > 30)
        abort();
#elif MODE == 26
    for (volatile int i = 0; i < 2000000; i++)
        ;
#elif MODE == 28
    if (calls == 1)
        alarm(2);
#elif MODE == 27
    if (calls > 5)
        out[0] += 1;
#endif
}

void scale_reference(float *out, const float *x, float alpha, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = alpha * x[i];
}

void reference_that_crashes(float *out, const float *x, float alpha, uint32_t n)
{
    scale_reference(out, x, alpha, n);
    abort();
}

void reference_that_trespasses(float *out, const float *x, float alpha, uint32_t n)
{
    scale_reference(out, x, alpha, n);
    out[n] = 0;
}

/* In place: each run starts from what the one before left, unless it is restored. */
void doubles(int32_t *x, uint32_t n)
{
#if MODE >= 1000
    static volatile int salt = MODE;
    salt++;
#endif
    for (uint32_t i = 0; i < n; i++)
        x[i] *= MODE == 9 ? 3 : 2;
}

void doubles_reference(int32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] += x[i];
}

/* Bytes: any poison is also a value. */
void bytes(uint8_t *out, const uint8_t *x, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (MODE != 10 || i != n / 2)
            out[i] = x[i];
}

/* Scratch holds nothing in particular at first. */
void with_scratch(float *out, uint32_t n, float *scratch)
{
    for (uint32_t i = 0; i < n; i++) {
#if MODE != 9
        scratch[i] = 0;
#endif
        scratch[i] += i;
        out[i] = scratch[i];
    }
#if MODE == 5
    scratch[n] = 1;
#endif
}

/* Counts to 3 and back. MODE 1 leaves something behind in every run, MODE 2 in late ones only. */
void with_locks(float *out, uint32_t n, const uint64_t *nothing, uint32_t *locks)
{
    static uint32_t runs = 0;
    (void)nothing;
    runs++;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < 3; k++)
            locks[i]++;
        out[i] = locks[i];
        locks[i] = 0;
    }
    if (MODE == 1)
        locks[0] = 7;
    if (MODE == 2 && n == 100 && runs > 20)
        locks[n - 1] = 1;
}
