void gemm(float *c, const float *a, const float *b, int m, int n, int k, float alpha, float beta)
{
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)a[i * m + row] * b[i * n + column];
            c[column * m + row] = (float)(alpha * sum + beta * c[column * m + row]);
        }
}
