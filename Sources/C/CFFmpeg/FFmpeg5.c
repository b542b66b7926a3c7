#define CFF_FFMPEG 5
#define CFF_VERSION cff_ffmpeg5
#include "Implementation.h"
