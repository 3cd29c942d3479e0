void hotspot(const float *power, const float *before, float *after, float rx, float ry, float rz, float step)
{
    static double now[2][276][276];
    for (int i = 0; i < 276 * 276; i++)
        now[0][i / 276][i % 276] = before[i];
    for (int t = 1; t <= TEMPORAL_TILING_FACTOR; t++)
        for (int row = t; row < 276 - t; row++)
            for (int i = t; i < 276 - t; i++) {
                double (*at)[276] = now[(t + 1) % 2], mid = at[row][i];
                now[t % 2][row][i] = mid + step * (power[row * 276 + i] + (at[row + 1][i] + at[row - 1][i] - 2 * mid) * ry
                    + (at[row][i + 1] + at[row][i - 1] - 2 * mid) * rx + (80 - mid) * rz);
            }
    for (int i = 0; i < 256 * 256; i++)
        after[i] = (float)now[TEMPORAL_TILING_FACTOR % 2][i / 256 + 10][i % 256 + 10];
}
