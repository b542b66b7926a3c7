#define CFF_FFMPEG 9
#define CFF_VERSION cff_ffmpeg9
#include "Implementation.h"
