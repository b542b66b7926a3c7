// The part of LiteRT's C interface that the package calls, declared in our own words.
//
// Nothing links against the library: `litert_load` opens it and fills a table of function pointers, so that a missing
// library becomes an error that can be read and fixed. Source of the facts: the public headers litert/c/*.h of
// google-ai-edge/LiteRT, checked against the 2.3.0 library by running every function below.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every call answers with a status; 0 is success.
typedef int LiteRtStatus;
enum { kLiteRtOk = 0 };

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtSignatureT *LiteRtSignature;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;

// An environment option: its kind, and a value whose member `kind` names.
enum { kLiteRtOptionAutoRegisterAccelerators = 24, kLiteRtOptionMinLoggerSeverity = 25 };
enum { kLiteRtValueInteger = 2 };
typedef struct {
    int kind;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const void *_Nullable pointer;
    };
} LiteRtValue;
typedef struct {
    int tag;
    LiteRtValue value;
} LiteRtEnvironmentOption;

enum { kLiteRtAcceleratorCPU = 1 };
// Logger severities run from 0 (verbose) to 3 (error); 4 says nothing.
enum { kLiteRtSeveritySilent = 4 };
// Host memory that a tensor buffer wraps starts at a multiple of this.
enum { kLiteRtHostMemoryAlignment = 64 };

// A tensor's shape. Dimensions beyond `rank` are undefined; a negative one is dynamic.
enum { kLiteRtMaximumRank = 8 };
typedef struct {
    unsigned int rank : 7;
    bool has_strides : 1;
    int32_t dimensions[8];
    uint32_t strides[8];
} LiteRtLayout;

typedef struct {
    int element_type;
    LiteRtLayout layout;
} LiteRtTensorType;

// The functions, by result, name and parameters; the library exports each with the prefix `LiteRt`.
//
// Every version has the first two; later functions tell the versions apart.
// clang-format off
#define LITERT_FIRST_FUNCTIONS(X)                                                                                      \
    X(LiteRtStatus, CreateEnvironment,                                                                                 \
      (int count, const LiteRtEnvironmentOption *_Nullable options,                                                    \
       LiteRtEnvironment _Nullable *_Nonnull environment))                                                             \
    X(LiteRtStatus, CreateModelFromBuffer,                                                                             \
      (LiteRtEnvironment _Nonnull environment, const void *_Nonnull bytes, size_t count,                               \
       LiteRtModel _Nullable *_Nonnull model))

// CreateOpaqueOptions: the payload is a NUL-terminated text that the options own and release with `release`.
// CompiledModelGetErrorMessages: the caller frees the messages.
#define LITERT_OTHER_FUNCTIONS(X)                                                                                      \
    X(void, DestroyModel, (LiteRtModel _Nonnull model))                                                                \
    X(LiteRtStatus, GetNumModelSignatures, (LiteRtModel _Nonnull model, size_t *_Nonnull count))                       \
    X(LiteRtStatus, GetModelSignature,                                                                                 \
      (LiteRtModel _Nonnull model, size_t index, LiteRtSignature _Nullable *_Nonnull signature))                       \
    X(LiteRtStatus, GetSignatureKey, (LiteRtSignature _Nonnull signature, const char *_Nullable *_Nonnull key))        \
    X(LiteRtStatus, GetNumSignatureInputs, (LiteRtSignature _Nonnull signature, size_t *_Nonnull count))               \
    X(LiteRtStatus, GetSignatureInputName,                                                                             \
      (LiteRtSignature _Nonnull signature, size_t index, const char *_Nullable *_Nonnull name))                        \
    X(LiteRtStatus, GetNumSignatureOutputs, (LiteRtSignature _Nonnull signature, size_t *_Nonnull count))              \
    X(LiteRtStatus, GetSignatureOutputName,                                                                            \
      (LiteRtSignature _Nonnull signature, size_t index, const char *_Nullable *_Nonnull name))                        \
    X(LiteRtStatus, CreateOptions, (LiteRtOptions _Nullable *_Nonnull options))                                        \
    X(void, DestroyOptions, (LiteRtOptions _Nonnull options))                                                          \
    X(LiteRtStatus, SetOptionsHardwareAccelerators, (LiteRtOptions _Nonnull options, int accelerators))                \
    X(LiteRtStatus, CreateOpaqueOptions,                                                                               \
      (const char *_Nonnull identifier, void *_Nonnull payload, void (*_Nonnull release)(void *_Nullable payload),     \
       LiteRtOpaqueOptions _Nullable *_Nonnull options))                                                               \
    X(void, DestroyOpaqueOptions, (LiteRtOpaqueOptions _Nonnull options))                                              \
    X(LiteRtStatus, AddOpaqueOptions, (LiteRtOptions _Nonnull options, LiteRtOpaqueOptions _Nonnull opaque))           \
    X(LiteRtStatus, CreateCompiledModel,                                                                               \
      (LiteRtEnvironment _Nonnull environment, LiteRtModel _Nonnull model, LiteRtOptions _Nonnull options,             \
       LiteRtCompiledModel _Nullable *_Nonnull compiled))                                                              \
    X(void, DestroyCompiledModel, (LiteRtCompiledModel _Nonnull compiled))                                             \
    X(LiteRtStatus, GetCompiledModelInputTensorLayout,                                                                 \
      (LiteRtCompiledModel _Nonnull compiled, size_t signature, size_t input, LiteRtLayout *_Nonnull layout))          \
    X(LiteRtStatus, GetCompiledModelOutputTensorLayouts,                                                               \
      (LiteRtCompiledModel _Nonnull compiled, size_t signature, size_t count, LiteRtLayout *_Nonnull layouts,          \
       bool update_allocation))                                                                                        \
    X(LiteRtStatus, CompiledModelResizeInputTensorNonStrict,                                                           \
      (LiteRtCompiledModel _Nonnull compiled, size_t signature, size_t input, const int *_Nonnull dimensions,          \
       size_t rank))                                                                                                   \
    X(LiteRtStatus, RunCompiledModel,                                                                                  \
      (LiteRtCompiledModel _Nonnull compiled, size_t signature, size_t input_count,                                    \
       LiteRtTensorBuffer _Nullable *_Nullable inputs, size_t output_count,                                            \
       LiteRtTensorBuffer _Nullable *_Nullable outputs))                                                               \
    X(LiteRtStatus, CompiledModelGetErrorMessages,                                                                     \
      (LiteRtCompiledModel _Nonnull compiled, char *_Nullable *_Nonnull messages))                                     \
    X(LiteRtStatus, CompiledModelClearErrors, (LiteRtCompiledModel _Nonnull compiled))                                 \
    X(LiteRtStatus, CreateTensorBufferFromHostMemory,                                                                  \
      (const LiteRtTensorType *_Nonnull type, void *_Nonnull memory, size_t count,                                     \
       void (*_Nullable release)(void *_Nullable memory), LiteRtTensorBuffer _Nullable *_Nonnull buffer))              \
    X(void, DestroyTensorBuffer, (LiteRtTensorBuffer _Nonnull buffer))
// clang-format on

#define LITERT_FIELD(result, name, parameters) result(*_Nonnull name) parameters;
typedef struct __attribute__((swift_attr("@Sendable"))) {
    LITERT_FIRST_FUNCTIONS(LITERT_FIELD)
    LITERT_OTHER_FUNCTIONS(LITERT_FIELD)
} LiteRtFunctions;
#undef LITERT_FIELD

typedef enum {
    LiteRtLoaded,
    // The library could not be opened; the message says why.
    LiteRtLoadNotOpened,
    // The library opened, but a function is absent; the message names it.
    LiteRtLoadMissingSymbol,
    // The library is older than the first release with today's argument lists; the message names the symbol it lacks.
    LiteRtLoadTooOld,
} LiteRtLoadResult;

// Opens the library at `path`, or with no path takes the functions that the process has already, and fills `functions`.
// The library stays open as long as the process lives. On failure the message, always terminated, says what is wrong,
// and `functions` is not to be used.
LiteRtLoadResult litert_load(const char *_Nullable path, LiteRtFunctions *_Nonnull functions, char *_Nonnull message,
                             size_t capacity);

// Finds the library that is linked into the process, or was loaded for all of it, and writes its terminated path. False
// if there is none.
bool litert_find_linked(char *_Nonnull path, size_t capacity);

// Sets and reads the rank: a bit field that Swift cannot address.
void litert_layout_set(LiteRtLayout *_Nonnull layout, const int32_t *_Nonnull dimensions, size_t rank);
size_t litert_layout_rank(const LiteRtLayout *_Nonnull layout);

#ifdef __cplusplus
}
#endif
