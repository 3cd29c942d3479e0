
// Copies a block of @T@ into panels of @WIDTH@ lines; each panel holds, for every
// step along K, the elements of its lines.
//? if ragged
// Lines beyond the block are zeros.
//? end
//? if straight
static void pack_@t@(float *restrict to, struct block from, size_t step) {
  for (size_t line = 0; line < from.lines; line += @WIDTH@) {
    const float *at = from.data + line;
//? if ragged
    const size_t lines = min_size(@WIDTH@, from.lines - line);
    for (size_t p = 0; p < from.depth && lines < @WIDTH@; p++, at += step)
      for (size_t x = 0; x < @WIDTH@; x++)
        *to++ = x < lines ? at[x] : 0.0f;
    if (lines < @WIDTH@)
      return;
//? end
    for (size_t p = 0; p < from.depth; p++, at += step, to += @WIDTH@)
      for (size_t x = 0; x < @WIDTH@; x++)
        to[x] = at[x];
  }
}
//? end
//? if turned
// Four steps of four lines at a time, for K is where @T@ is contiguous.
static void pack_@t@(float *restrict to, struct block from, size_t pitch) {
  for (size_t line = 0; line < from.lines; line += @WIDTH@) {
    const float *panel = from.data + line * pitch;
//? if ragged
    const size_t lines = min_size(@WIDTH@, from.lines - line);
//? else
    const size_t lines = @WIDTH@;
//? end
    size_t x = 0;
    for (; x + 4 <= lines; x += 4) {
      const float *at = panel + x * pitch;
//? if quads
      for (size_t p = 0; p < from.depth; p += 4)
        transpose_4x4(to + p * @WIDTH@ + x, @WIDTH@, at + p, pitch);
//? else
      size_t p = 0;
      for (; p + 4 <= from.depth; p += 4)
        transpose_4x4(to + p * @WIDTH@ + x, @WIDTH@, at + p, pitch);
      for (; p < from.depth; p++)
        for (size_t y = 0; y < 4; y++)
          to[p * @WIDTH@ + x + y] = at[y * pitch + p];
//? end
    }
    for (; x < @WIDTH@; x++)
      for (size_t p = 0; p < from.depth; p++)
//? if ragged
        to[p * @WIDTH@ + x] = x < lines ? panel[x * pitch + p] : 0.0f;
//? else
        to[p * @WIDTH@ + x] = panel[x * pitch + p];
//? end
    to += @WIDTH@ * from.depth;
  }
}
//? end
//? if scattered
static void pack_@t@(float *restrict to, struct block from, size_t pitch,
                   size_t step) {
  for (size_t line = 0; line < from.lines; line += @WIDTH@) {
    const float *panel = from.data + line * pitch;
//? if ragged
    const size_t lines = min_size(@WIDTH@, from.lines - line);
//? end
    for (size_t p = 0; p < from.depth; p++, panel += step)
      for (size_t x = 0; x < @WIDTH@; x++)
//? if ragged
        *to++ = x < lines ? panel[x * pitch] : 0.0f;
//? else
        *to++ = panel[x * pitch];
//? end
  }
}
//? end
