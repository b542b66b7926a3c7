// swift-format-ignore-file
// Apple's C library. Linux has the same functions; the constants that it lacks follow.
@_exported import Glibc

public let SO_NOSIGPIPE: Int32 = 0x1022
