import Foundation

/// Notices that a file was saved, by its time, size and inode.
struct FileChanges {
    private struct State: Equatable {
        let inode: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private let path: String
    private var known: State?
    private var last: State?

    init(_ path: String) {
        self.path = path
        known = Self.state(of: path)
        last = known
    }

    /// Looks at the file, and returns whether it was saved since the last change. A file that is still being written, or missing, waits
    /// for the next look.
    mutating func look() -> Bool {
        let now = Self.state(of: path)
        defer { last = now }
        guard let now, now != known, now == last else { return false }
        known = now
        return true
    }

    private static func state(of path: String) -> State? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return State(
            inode: UInt64(status.st_ino),
            size: Int(status.st_size),
            seconds: Int(time.tv_sec),
            nanoseconds: Int(time.tv_nsec)
        )
    }
}
