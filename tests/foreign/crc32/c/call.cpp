/* What bico calls: the names of the others are C++'s. */
#define JOINED(name) crc32_##name
#define NAMED(name) JOINED(name)

extern "C" void call(uint32_t *out, const uint8_t *data, uint32_t n, uint32_t previous)
{
    *out = NAMED(ALGORITHM)(data, n, previous);
}
