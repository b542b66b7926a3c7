#include "CLiteRT.h"
