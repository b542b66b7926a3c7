// swift-format-ignore-file
// Apple's C library. What the package uses of it, Linux's has too.
@_exported import Glibc
