void zeromean(float *image, int height, int width)
{
    for (int column = 0; column < width; column++)
        for (int odd = 0; odd < 2; odd++) {
            double sum = 0;
            int count = (height + 1 - odd) / 2;
            for (int row = odd; row < height; row += 2)
                sum += image[row * width + column];
            for (int row = odd; row < height; row += 2)
                image[row * width + column] -= (float)(sum / count);
        }
}
