import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct FileLockTests {
    /// Copies of all descriptors with which this process has a file open, as a program that is being started has them.
    private func copies(of path: String) throws -> [Int32] {
        var (named, opened) = (stat(), stat())
        try #require(stat(path, &named) == 0)
        return try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
            .filter { fstat($0, &opened) == 0 && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev }
            .map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }

    @Test func aLockHasOneHolder() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "lock").path
            let inner = try FileLock.taken(path).whileHeld { () throws(DurableFileError) in
                try FileLock.takenIfFree(path)
            }
            #expect(inner == nil)
            #expect(try FileLock.takenIfFree(path) != nil)
        }
    }

    @Test func aLockInAMissingFolderIsAnErrorWithItsPath() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "missing/lock").path
            let error = #expect(throws: DurableFileError.self) { try FileLock.taken(path) }
            #expect(error == DurableFileError(path: path, code: ENOENT))
        }
    }

    @Test func aReleasedLockIsFreeThoughACopyOfItsDescriptorIsOpen() throws {
        try withTemporaryFolder { folder in
            var lock = try FileLock.takenIfFree(folder: folder.path)
            try #require(lock != nil)
            let copies = try copies(of: folder.path)
            defer { for copy in copies { close(copy) } }
            try #require(!copies.isEmpty)
            lock = nil
            #expect(try FileLock.takenIfFree(folder: folder.path) != nil)
        }
    }

    @Test func aFileOfADownloadThatEndedIsFreeThoughACopyOfItsDescriptorIsOpen() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "model.part").path
            var file = try PartialFile.opened(path)
            try #require(file != nil)
            let copies = try copies(of: path)
            defer { for copy in copies { close(copy) } }
            try #require(!copies.isEmpty)
            file = nil
            #expect(try PartialFile.opened(path) != nil)
        }
    }

    @Test func aDescriptorThatEndedLeavesNoLockThoughACopyOfItIsOpen() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "counts.csv").path
            var copies: [Int32] = []
            defer { for copy in copies { close(copy) } }
            do {
                let file = try FileDescriptor(path, O_RDWR | O_CREAT)
                try #require(FileLock.tryTaking(file.number))
                copies = try self.copies(of: path)
            }
            try #require(!copies.isEmpty)
            #expect(try FileLock.takenIfFree(path) != nil)
        }
    }

    @Test func aWrittenFileIsFreeThoughACopyOfItsDescriptorIsOpen() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "counts.csv")
            var copies: [Int32] = []
            defer { for copy in copies { close(copy) } }
            try DurableFile.write(to: url) { (file: borrowing FileDescriptor) throws(DurableFileError) in
                copies = (try? self.copies(of: file.path)) ?? []
            }
            try #require(!copies.isEmpty)
            #expect(try FileLock.takenIfFree(url.path) != nil)
        }
    }
}
