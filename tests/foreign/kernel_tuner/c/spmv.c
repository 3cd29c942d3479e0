void spmv(float *y, const int *first, const int *column, const float *value, const float *x,
          int rows, int columns, int nonzeros)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int i = first[row]; i < first[row + 1]; i++)
            sum += (double)value[i] * x[column[i]];
        y[row] = (float)sum;
    }
}

void fill(float *y, int *first, int *column, float *value, float *x,
          int rows, int columns, int nonzeros, unsigned long long seed)
{
    int all = columns ? nonzeros : 0;
    for (int row = 0; row <= rows; row++)
        first[row] = rows ? (int)((long long)all * row / rows) : 0;
    for (int i = 0; i < all; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        column[i] = (int)((seed >> 33) % columns);
        value[i] = (float)(seed >> 40) / (1 << 23) - 1;
    }
}
