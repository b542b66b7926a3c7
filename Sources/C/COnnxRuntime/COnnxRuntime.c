#include "COnnxRuntime.h"
#include "CLoader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The answer of the library's only function: a function that gives the table of a version, or null if the library is
// older than that version; and a function that gives the library's version.
typedef struct {
    const void *const *(*table)(uint32_t version);
    const char *(*version)(void);
} OnnxBase;

OnnxLoadResult onnx_load(const char *path, OnnxFunctions *functions, char *text, size_t capacity) {
    if (capacity > 0) text[0] = 0;
    // Otherwise the library starts a thread that writes what is run to a database in the user's cache, with an id of
    // the machine, and sends it. DisableTelemetryEvents comes too late: the database is open by then.
    setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    // The library stays open: it keeps threads and state of its own.
    void *library = cloader_open(path, text, capacity);
    if (!library) return OnnxLoadNotOpened;
    void *symbol = dlsym(library, "OrtGetApiBase");
    if (!symbol) {
        snprintf(text, capacity, "OrtGetApiBase");
        dlclose(library);
        return OnnxLoadMissingSymbol;
    }
    const OnnxBase *(*base_of_library)(void);
    memcpy(&base_of_library, &symbol, sizeof symbol);
    const OnnxBase *base = base_of_library();
    const char *version = base && base->version ? base->version() : 0;
    snprintf(text, capacity, "%s", version ? version : "unknown");
    const void *const *table = base && base->table ? base->table(kOnnxInterfaceVersion) : 0;
    if (!table) return OnnxLoadTooOld;
#define COPY(place, result, name, parameters) memcpy(&functions->name, &table[place], sizeof functions->name);
    ONNX_FUNCTIONS(COPY)
#undef COPY
    return OnnxLoaded;
}
