void transpose(float *y, const float *x, int width)
{
    for (int row = 0; row < width; row++)
        for (int column = 0; column < width; column++)
            y[column * width + row] = x[row * width + column];
}
