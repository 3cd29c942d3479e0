#pragma once
#include "scale.h"
struct Pair {
    Scale scale;
    double offset;
};
