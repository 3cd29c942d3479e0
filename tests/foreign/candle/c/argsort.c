#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int is_sorted(const float *x, const uint32_t *order, int32_t columns, uint32_t rows, char *why, size_t room)
{
    char *seen = malloc(columns + 1);
    int wrong = 0;
    for (uint32_t row = 0; row < rows && !wrong; row++, x += columns, order += columns) {
        for (int32_t i = 0; i < columns; i++)
            seen[i] = 0;
        for (int32_t i = 0; i < columns && !wrong; i++) {
            if (order[i] >= (uint32_t)columns || seen[order[i]]++)
                wrong = snprintf(why, room, "row %u: order[%d] = %u is none, or one again", row, i, order[i]);
            else if (i > 0 && x[order[i - 1]] > x[order[i]])
                wrong = snprintf(why, room, "row %u: %d and %d are in the wrong order", row, i - 1, i);
        }
    }
    free(seen);
    return wrong;
}
