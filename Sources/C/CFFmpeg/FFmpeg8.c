#define CFF_FFMPEG 8
#define CFF_VERSION cff_ffmpeg8
#include "Implementation.h"
