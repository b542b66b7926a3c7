// swift-format-ignore-file
// Apple's C library. Linux has the same functions; the constants that it lacks follow.
@_exported import Glibc

public let SO_NOSIGPIPE: Int32 = 0x1022

/// `RENAME_SWAP` of stdio.h, which exchanges two files.
public let RENAME_SWAP: Int32 = 2
public func renamex_np(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>, _ flags: UInt32) -> Int32 { -1 }
