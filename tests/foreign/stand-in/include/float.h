#pragma once
#define FLT_EPSILON 1.1920929e-7f
