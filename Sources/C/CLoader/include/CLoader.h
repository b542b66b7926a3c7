// Opens libraries that a program needs only for a part of its work, so that a missing library becomes an error that can
// be read and fixed.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Opens a library, whose names are not added to those of the program. If it cannot be opened, the result is null, and
// the text is the reason of the system's loader.
void *_Nullable cloader_open(const char *_Nonnull path, char *_Nonnull reason, size_t capacity);

#ifdef __cplusplus
}
#endif
