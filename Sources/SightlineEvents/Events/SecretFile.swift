public import Foundation

/// Files with a secret, such as a password, hidden from other users of the machine.
public enum SecretFile {
    /// The largest size of such a file in bytes.
    private static let largestSize = 64 * 1024

    /// Reads the first line of a file.
    ///
    /// - Throws: `EventError.invalidSecret` if the file cannot be read, is too large or has no first line.
    public static func read(_ file: URL) throws(EventError) -> String {
        let path = file.path(percentEncoded: false)
        guard let handle = try? FileHandle(forReadingFrom: file),
            let data = try? handle.read(upToCount: largestSize + 1)
        else { throw .invalidSecret(path: path, reason: "the file cannot be read, or is empty") }
        guard data.count <= largestSize else {
            throw .invalidSecret(path: path, reason: "the file has more than \(largestSize) bytes")
        }
        guard let text = String(data: data, encoding: .utf8), !text.contains("\0"),
            let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first, !line.isEmpty
        else { throw .invalidSecret(path: path, reason: "its first line is empty or is not text") }
        return String(line)
    }
}
