// Compares Layout.h with FFmpeg's headers where a build finds them. Nothing else needs them.
#if __has_include(<libavformat/avformat.h>) && __has_include(<libavcodec/avcodec.h>) &&                                \
    __has_include(<libswscale/swscale.h>) && __LP64__
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stddef.h>

#if LIBAVUTIL_VERSION_MAJOR == 56
#define CFF_FFMPEG 4
#elif LIBAVUTIL_VERSION_MAJOR == 57
#define CFF_FFMPEG 5
#elif LIBAVUTIL_VERSION_MAJOR == 58
#define CFF_FFMPEG 6
#elif LIBAVUTIL_VERSION_MAJOR == 59
#define CFF_FFMPEG 7
#elif LIBAVUTIL_VERSION_MAJOR == 60
#define CFF_FFMPEG 8
#elif LIBAVUTIL_VERSION_MAJOR == 61
#define CFF_FFMPEG 9
#endif

#ifdef CFF_FFMPEG
#include "Layout.h"

_Static_assert(LIBAVCODEC_VERSION_MAJOR == 54 + CFF_FFMPEG, "libavcodec");
_Static_assert(LIBAVFORMAT_VERSION_MAJOR == 54 + CFF_FFMPEG, "libavformat");
_Static_assert(LIBSWSCALE_VERSION_MAJOR == 1 + CFF_FFMPEG, "libswscale");

typedef enum AVPixelFormat (*CFFGetFormat)(AVCodecContext *, const enum AVPixelFormat *);
typedef int (*CFFReadBytes)(void *, uint8_t *, int);
#define CFF_FIELD(structure, declaration, name, ...)                                                                   \
    _Static_assert(offsetof(structure, name) == CFF_PICK(__VA_ARGS__), #structure "." #name);                          \
    struct structure##_##name {                                                                                        \
        declaration;                                                                                                   \
    };                                                                                                                 \
    _Static_assert(sizeof(((structure *)0)->name) == sizeof(((struct structure##_##name *)0)->name), #name);
#define CFF_CHECK(structure) CFF_##structure(CFF_FIELD)
CFF_STRUCTURES(CFF_CHECK)

#define CFF_ENTRY(name, value) _Static_assert((name) == (value), #name);
CFF_CONSTANTS(CFF_ENTRY)
#endif
#endif
