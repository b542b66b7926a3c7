#pragma once

#include <ObjectiveC/ObjectiveC.h>

typedef struct __attribute__((objc_bridge(id))) __CVBuffer *CVBufferRef;
typedef CVBufferRef CVImageBufferRef;
typedef CVImageBufferRef CVPixelBufferRef;
