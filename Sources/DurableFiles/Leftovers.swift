import Foundation
import SightlineLocks

/// Files that are being written under another name, and those that killed processes left.
///
/// The writer of such a file holds its lock, and the system releases the locks of a process that ends, however it ends. So a file without
/// a lock has no owner and may be removed.
enum Leftovers {
    /// The folders that this process has looked through.
    private static let known = Mutex<Set<String>>([])

    /// Removes what killed processes left in a folder; once per process and folder.
    static func remove(in folder: String) {
        guard known.withLock({ $0.insert(folder).inserted }), let names = opendir(folder.isEmpty ? "." : folder),
            let place = MemoryLayout<dirent>.offset(of: \dirent.d_name)
        else { return }
        defer { closedir(names) }
        while let entry = readdir(names) {
            // The name ends with a zero, and lives until the next call.
            let name = String(
                cString: (UnsafeRawPointer(entry) + place).assumingMemoryBound(to: CChar.self)
            )
            guard name.hasPrefix(DurableFile.partialPrefix) else { continue }
            let path = file(name, in: folder)
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { PartialFile.removeUnlessOpen(path) }
        }
    }

    /// Creates a file of a name that no other file has, and takes its lock.
    static func newFile(in folder: String, permissions: mode_t) throws(DurableFileError) -> FileDescriptor {
        while true {
            let name = DurableFile.partialPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
            let new = try FileDescriptor(
                file(name, in: folder),
                O_WRONLY | O_CREAT | O_EXCL,
                permissions: permissions
            )
            // A file system without locks also refuses them to processes that remove files.
            _ = flock(new.number, LOCK_EX | LOCK_NB)
            // Between creation and lock, another process may have taken the file for a leftover.
            var (opened, named) = (stat(), stat())
            if fstat(new.number, &opened) == 0, lstat(new.path, &named) == 0, opened.st_ino == named.st_ino {
                return new
            }
        }
    }

    private static func file(_ name: String, in folder: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
