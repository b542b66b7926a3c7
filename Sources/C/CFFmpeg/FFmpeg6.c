#define CFF_FFMPEG 6
#define CFF_VERSION cff_ffmpeg6
#include "Implementation.h"
