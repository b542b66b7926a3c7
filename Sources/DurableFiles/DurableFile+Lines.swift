import Foundation

extension DurableFile {
    /// Appends whole lines to a file, which is created if necessary. A torn line at its end is removed first.
    ///
    /// - Throws: `DurableFileError`; then the file has none of the lines.
    package static func appendLines(_ lines: Data, to path: String) throws(DurableFileError) {
        let file = try FileDescriptor(path, O_RDWR | O_CREAT | O_APPEND, permissions: 0o644)
        let end = try wholeLines(in: file)
        do throws(DurableFileError) {
            try file.write(lines)
        } catch {
            ftruncate(file.number, end)
            throw error
        }
    }

    /// Removes a torn line at the end of a file, such as a kill leaves.
    ///
    /// - Returns: the length of the file afterwards.
    package static func wholeLines(in file: borrowing FileDescriptor) throws(DurableFileError) -> off_t {
        let size = lseek(file.number, 0, SEEK_END)
        guard size >= 0 else { throw DurableFileError(path: file.path, code: errno) }
        var end = size
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while end > 0 {
            let start = max(end - off_t(bytes.count), 0)
            let count = pread(file.number, &bytes, Int(end - start), start)
            guard count == Int(end - start) else {
                throw DurableFileError(path: file.path, code: count < 0 ? errno : EIO, operation: .read)
            }
            if let feed = bytes[..<count].lastIndex(of: UInt8(ascii: "\n")) {
                end = start + off_t(feed) + 1
                break
            }
            end = start
        }
        if end < size, ftruncate(file.number, end) != 0 { throw DurableFileError(path: file.path, code: errno) }
        return end
    }

    /// The last bytes of a file as text; empty if the file is missing.
    ///
    /// - Parameter size: the largest number of bytes.
    package static func end(of path: String, size: Int) throws(DurableFileError) -> String {
        var bytes: [UInt8] = []
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_RDONLY)
            let length = lseek(file.number, 0, SEEK_END)
            guard length >= 0, lseek(file.number, max(length - off_t(size), 0), SEEK_SET) >= 0 else {
                throw DurableFileError(path: path, code: errno, operation: .read)
            }
            try file.read { bytes += $0 }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
