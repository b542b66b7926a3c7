// The part of ONNX Runtime's C interface that the package calls, declared in our own words.
//
// The library exports one function, which answers with a table of functions; a function keeps its place in the table in
// all versions. `onnx_load` opens the library and copies the pointers that we use, so that a missing library becomes an
// error that can be read and mended. Source of the places and parameters: the public header onnxruntime_c_api.h of
// microsoft/onnxruntime, checked against the 1.32.0 library by calling every function below.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OnnxStatusT *OnnxStatus; // null is success
typedef struct OnnxEnvironmentT *OnnxEnvironment;
typedef struct OnnxSessionT *OnnxSession;
typedef struct OnnxSessionOptionsT *OnnxSessionOptions;
typedef struct OnnxRunOptionsT *OnnxRunOptions;
typedef struct OnnxValueT *OnnxValue;
typedef struct OnnxMemoryInfoT *OnnxMemoryInfo;
typedef struct OnnxTensorInfoT *OnnxTensorInfo;
typedef struct OnnxArenaT *OnnxArena;

// Severities run from 0 (verbose) to 4 (fatal).
enum { kOnnxSeverityFatal = 4 };
// All optimizations of the graph.
enum { kOnnxOptimizeAll = 99 };
// Memory of an arena, and of the plain kind for the CPU.
enum { kOnnxAllocatorDevice = 0, kOnnxAllocatorArena = 1, kOnnxMemoryDefault = 0 };
// An arena grows by as much as is asked for.
enum { kOnnxArenaGrowsAsRequested = 1 };
// The version of the table: the first that takes the contents of files of weights from memory.
enum { kOnnxInterfaceVersion = 18 };

// The functions, each with its place in the table, its result and its parameters.
#define ONNX_FUNCTIONS(X)                                                                                              \
    X(2, const char *_Nonnull, GetErrorMessage, (OnnxStatus _Nonnull))                                                 \
    X(3, OnnxStatus _Nullable, CreateEnv,                                                                              \
      (int severity, const char *_Nonnull name, OnnxEnvironment _Nullable *_Nonnull))                                  \
    X(6, OnnxStatus _Nullable, DisableTelemetryEvents, (OnnxEnvironment _Nonnull))                                     \
    X(8, OnnxStatus _Nullable, CreateSessionFromArray,                                                                 \
      (OnnxEnvironment _Nonnull, const void *_Nonnull bytes, size_t count, OnnxSessionOptions _Nonnull,                \
       OnnxSession _Nullable *_Nonnull))                                                                               \
    X(9, OnnxStatus _Nullable, Run,                                                                                    \
      (OnnxSession _Nonnull, OnnxRunOptions _Nullable, const char *_Nullable const *_Nullable inputNames,              \
       OnnxValue _Nullable const *_Nullable inputs, size_t inputCount,                                                 \
       const char *_Nullable const *_Nullable outputNames, size_t outputCount, OnnxValue _Nullable *_Nonnull outputs)) \
    X(10, OnnxStatus _Nullable, CreateSessionOptions, (OnnxSessionOptions _Nullable *_Nonnull))                        \
    X(22, OnnxStatus _Nullable, SetSessionLogSeverityLevel, (OnnxSessionOptions _Nonnull, int severity))               \
    X(23, OnnxStatus _Nullable, SetSessionGraphOptimizationLevel, (OnnxSessionOptions _Nonnull, int level))            \
    X(24, OnnxStatus _Nullable, SetIntraOpNumThreads, (OnnxSessionOptions _Nonnull, int count))                        \
    X(25, OnnxStatus _Nullable, SetInterOpNumThreads, (OnnxSessionOptions _Nonnull, int count))                        \
    X(49, OnnxStatus _Nullable, CreateTensorWithDataAsOrtValue,                                                        \
      (OnnxMemoryInfo _Nonnull, void *_Nonnull data, size_t byteCount, const int64_t *_Nullable shape, size_t rank,    \
       int elementType, OnnxValue _Nullable *_Nonnull))                                                                \
    X(51, OnnxStatus _Nullable, GetTensorMutableData, (OnnxValue _Nonnull, void *_Nullable *_Nonnull))                 \
    X(60, OnnxStatus _Nullable, GetTensorElementType, (OnnxTensorInfo _Nonnull, int *_Nonnull))                        \
    X(61, OnnxStatus _Nullable, GetDimensionsCount, (OnnxTensorInfo _Nonnull, size_t *_Nonnull))                       \
    X(62, OnnxStatus _Nullable, GetDimensions, (OnnxTensorInfo _Nonnull, int64_t *_Nullable, size_t))                  \
    X(65, OnnxStatus _Nullable, GetTensorTypeAndShape, (OnnxValue _Nonnull, OnnxTensorInfo _Nullable *_Nonnull))       \
    X(69, OnnxStatus _Nullable, CreateCpuMemoryInfo, (int allocator, int memory, OnnxMemoryInfo _Nullable *_Nonnull))  \
    X(93, void, ReleaseStatus, (OnnxStatus _Nullable))                                                                 \
    X(94, void, ReleaseMemoryInfo, (OnnxMemoryInfo _Nullable))                                                         \
    X(95, void, ReleaseSession, (OnnxSession _Nullable))                                                               \
    X(96, void, ReleaseValue, (OnnxValue _Nullable))                                                                   \
    X(99, void, ReleaseTensorTypeAndShapeInfo, (OnnxTensorInfo _Nullable))                                             \
    X(100, void, ReleaseSessionOptions, (OnnxSessionOptions _Nullable))                                                \
    X(130, OnnxStatus _Nullable, AddSessionConfigEntry,                                                                \
      (OnnxSessionOptions _Nonnull, const char *_Nonnull key, const char *_Nonnull value))                             \
    X(144, OnnxStatus _Nullable, CreateAndRegisterAllocator,                                                           \
      (OnnxEnvironment _Nonnull, OnnxMemoryInfo _Nonnull, OnnxArena _Nullable))                                        \
    X(157, void, ReleaseArenaCfg, (OnnxArena _Nullable))                                                               \
    X(164, OnnxStatus _Nullable, CreateArenaCfgV2,                                                                     \
      (const char *_Nonnull const *_Nonnull keys, const size_t *_Nonnull values, size_t count,                         \
       OnnxArena _Nullable *_Nonnull))                                                                                 \
    X(279, OnnxStatus _Nullable, AddExternalInitializersFromFilesInMemory,                                             \
      (OnnxSessionOptions _Nonnull, const char *_Nullable const *_Nonnull names,                                       \
       char *_Nullable const *_Nonnull files, const size_t *_Nonnull byteCounts, size_t count))

// The functions that the package calls.
typedef struct {
#define ONNX_FIELD(place, result, name, parameters) result(*_Nonnull name) parameters;
    ONNX_FUNCTIONS(ONNX_FIELD)
#undef ONNX_FIELD
} OnnxFunctions;

// The result of `onnx_load`.
typedef enum { OnnxLoaded, OnnxLoadNotOpened, OnnxLoadMissingSymbol, OnnxLoadTooOld } OnnxLoadResult;

// Opens the library at `path` and fills the table. The text is the library's version, or the reason of a failure.
OnnxLoadResult onnx_load(const char *_Nonnull path, OnnxFunctions *_Nonnull functions, char *_Nonnull text,
                         size_t capacity);

#ifdef __cplusplus
}
#endif
