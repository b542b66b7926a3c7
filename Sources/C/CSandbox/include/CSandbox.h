// Takes rights away from this process permanently: it reads untrusted data, and an attacker who takes it over shall
// find nothing.
//
// Linux only; elsewhere nothing is taken away.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A filter of system calls: no new files, processes, programs, sockets or signals to others (seccomp).
#define CSandboxSystemCalls 1
/// No files but those of a list, and these only to read (Landlock).
#define CSandboxFiles 2
/// No more threads than a number (a limit of the process alone, from Linux 5.19; as root from any Linux).
#define CSandboxThreads 4

/// The protections of system calls and files that the kernel has.
int csandbox_available(void);

/// Takes the rights away from the threads of this process, and gives which protections hold.
///
/// Landlock binds the calling thread and those that it makes later, so this is to be called before there are others.
///
/// - Parameters:
///   - paths: files and folders that may be read from now on; missing ones are left out.
///   - count: the number of paths.
///   - threads: the largest number of threads.
int csandbox_enter(const char *const *paths, size_t count, size_t threads);

#ifdef __cplusplus
}
#endif
