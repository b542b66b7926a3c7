import Foundation

/// A lock that one holder has at a time, in this process and all others. A process that ends releases its locks.
package final class FileLock: Sendable {
    private let number: Int32

    private init(number: Int32) { self.number = number }

    deinit { Self.release(number) }

    /// Takes the lock of a file, which is created if necessary, and waits until it is free.
    package static func taken(_ path: String) throws(DurableFileError) -> FileLock {
        let number = try opened(path)
        while flock(number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(number, path) }
        }
        return FileLock(number: number)
    }

    /// Takes the lock of a file, which is created if necessary; nil if another holder has the lock.
    package static func takenIfFree(_ path: String) throws(DurableFileError) -> FileLock? {
        try ifFree(try opened(path), path)
    }

    /// Takes the lock of an existing folder; nil if another holder has the lock.
    package static func takenIfFree(folder path: String) throws(DurableFileError) -> FileLock? {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw DurableFileError(path: path, code: errno) }
        return try ifFree(number, path)
    }

    /// Takes the lock of a file that its owner will rename or remove, creating it if necessary; nil if another holder has the lock.
    package static func takenIfFree(partialFile path: String) throws(DurableFileError) -> FileLock? {
        try PartialFile.locked(path).map(FileLock.init(number:))
    }

    private static func ifFree(_ number: Int32, _ path: String) throws(DurableFileError) -> FileLock? {
        if flock(number, LOCK_EX | LOCK_NB) == 0 { return FileLock(number: number) }
        let error = failure(number, path)
        if error.code == EWOULDBLOCK { return nil }
        throw error
    }

    /// Takes the lock of an open file without waiting.
    ///
    /// - Returns: false if another holder has the lock; true also where the file system has no locks.
    package static func tryTaking(_ number: Int32) -> Bool {
        flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Runs a closure while the lock is held.
    package func whileHeld<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body()
    }

    /// Gives up the lock of an open file, and closes the file.
    ///
    /// A lock belongs to all copies of a descriptor. A program that another thread is starting has such copies for a
    /// moment, until its own code is loaded; to close the file here alone would leave the lock with that program.
    package static func release(_ number: Int32) {
        _ = flock(number, LOCK_UN)
        close(number)
    }

    private static func opened(_ path: String) throws(DurableFileError) -> Int32 {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard number >= 0 else { throw DurableFileError(path: path, code: errno) }
        return number
    }

    private static func failure(_ number: Int32, _ path: String) -> DurableFileError {
        let error = DurableFileError(path: path, code: errno)
        close(number)
        return error
    }
}
