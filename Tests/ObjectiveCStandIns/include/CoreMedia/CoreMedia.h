#pragma once

#include <CoreVideo/CoreVideo.h>

typedef struct __attribute__((objc_bridge(id))) opaqueCMSampleBuffer *CMSampleBufferRef;
