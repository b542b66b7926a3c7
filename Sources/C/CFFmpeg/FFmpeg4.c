#define CFF_FFMPEG 4
#define CFF_VERSION cff_ffmpeg4
#include "Implementation.h"
