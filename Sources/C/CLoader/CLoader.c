#include "CLoader.h"

#include <dlfcn.h>
#include <stdio.h>

void *cloader_open(const char *path, char *reason, size_t capacity) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *found = dlerror();
        snprintf(reason, capacity, "%s", found ? found : "unknown reason");
    }
    return library;
}
