// The driver of libFuzzer, which the option --sanitize=fuzzer links: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library

#ifndef CLIBFUZZER_H
#define CLIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs a function on inputs until a fault or a limit ends the process. `count` and `words` are those of main.
int LLVMFuzzerRunDriver(int *count, char ***words, int (*run)(const uint8_t *bytes, size_t size));

#endif
