void convolution(float *y, const float *x, const float *weights, int width, int height)
{
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            double sum = 0;
            for (int i = 0; i < 7; i++)
                for (int j = 0; j < 7; j++)
                    sum += (double)weights[i * 7 + j] * x[(row + i) * (width + 6) + column + j];
            y[row * width + column] = (float)sum;
        }
}
