import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The exchange of the names of two folders in one step, so that each name always has a folder.
///
/// Unsafe but sound: Swift's Glibc module does not show `renameat2`, so its address is looked up and taken for a function of the type in
/// its manual page, renameat2(2). The C library stays loaded.
package enum FolderExchange {
    #if !canImport(Darwin)
        private typealias Function =
            @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        /// `RENAME_EXCHANGE` of linux/fs.h.
        private static let flag: UInt32 = 1 << 1
    #endif

    /// Exchanges two folders of one file system.
    ///
    /// - Returns: Whether the system and the file system can do that and did it.
    package static func exchange(_ one: String, _ two: String) -> Bool {
        #if canImport(Darwin)
            return renamex_np(one, two, UInt32(RENAME_SWAP)) == 0
        #else
            guard let address = dlsym(nil, "renameat2") else { return false }
            return unsafeBitCast(address, to: Function.self)(AT_FDCWD, one, AT_FDCWD, two, flag) == 0
        #endif
    }
}
