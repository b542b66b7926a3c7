// All work with FFmpeg's structures, for the version CFF_FFMPEG. The file that includes this gets it as
// CFF_VERSION.
#include "Versions.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CFF_MEMBER(result, name, parameters, arguments) static result name parameters;
CFF_INTERFACE(CFF_MEMBER)
#undef CFF_MEMBER

// In this order: later ones use earlier ones.
// clang-format off
#include "Declarations.h"
#include "Loading.h"
#include "Reference.h"
#include "Hardware.h"
#include "Frame.h"
#include "Pipe.h"
#include "Input.h"
#include "Output.h"
// clang-format on

const CFFVersion CFF_VERSION = {.load = load,
#define CFF_MEMBER(result, name, parameters, arguments) .name = name,
                                CFF_INTERFACE(CFF_MEMBER)
#undef CFF_MEMBER
};
