#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // RTLD_DEFAULT and dladdr
#endif
#include "CLiteRT.h"
#include "CLoader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(LiteRtLayout) == 68, "the library reads a layout of 68 bytes");
_Static_assert(sizeof(LiteRtTensorType) == 72, "the library reads a tensor type of 72 bytes");
_Static_assert(offsetof(LiteRtTensorType, layout) == 4, "the layout follows the element type");
_Static_assert(sizeof(LiteRtEnvironmentOption) == 24, "an option is a tag and a 16-byte value");

// In 2.1.6 the functions that create a model gained a leading argument. Nothing states the version, but this function
// came after that change; a library without it would misread our arguments.
static const char *const first_symbol_of_current_interface = "LiteRtCreateModelFromFd";

bool litert_find_linked(char *path, size_t capacity) {
    void *symbol = dlsym(RTLD_DEFAULT, "LiteRtCreateEnvironment");
    if (!symbol) return false;
    Dl_info info;
    const char *file = dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "this program";
    snprintf(path, capacity, "%s", file);
    return true;
}

LiteRtLoadResult litert_load(const char *path, LiteRtFunctions *functions, char *message, size_t capacity) {
    if (capacity > 0) message[0] = 0;
    void *library = cloader_open(path, message, capacity);
    if (!library) return LiteRtLoadNotOpened;
#define FIND(result, name, parameters)                                                                                 \
    do {                                                                                                               \
        void *symbol = dlsym(library, "LiteRt" #name);                                                                 \
        if (!symbol) {                                                                                                 \
            snprintf(message, capacity, "LiteRt" #name);                                                               \
            dlclose(library);                                                                                          \
            return LiteRtLoadMissingSymbol;                                                                            \
        }                                                                                                              \
        memcpy(&functions->name, &symbol, sizeof symbol);                                                              \
    } while (0);

    LITERT_FIRST_FUNCTIONS(FIND)
    if (!dlsym(library, first_symbol_of_current_interface)) {
        snprintf(message, capacity, "%s", first_symbol_of_current_interface);
        dlclose(library);
        return LiteRtLoadTooOld;
    }
    LITERT_OTHER_FUNCTIONS(FIND)
#undef FIND
    return LiteRtLoaded;
}

void litert_layout_set(LiteRtLayout *layout, const int32_t *dimensions, size_t rank) {
    memset(layout, 0, sizeof *layout);
    if (rank > kLiteRtMaximumRank) rank = kLiteRtMaximumRank;
    layout->rank = (unsigned int)rank;
    for (size_t i = 0; i < rank; i++)
        layout->dimensions[i] = dimensions[i];
}

size_t litert_layout_rank(const LiteRtLayout *layout) { return layout->rank; }
