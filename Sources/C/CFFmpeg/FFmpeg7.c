#define CFF_FFMPEG 7
#define CFF_VERSION cff_ffmpeg7
#include "Implementation.h"
