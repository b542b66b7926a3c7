import DurableFiles
import Foundation

/// The rows of the period that has begun, in a small file beside a file of rows, so that a kill of the program does not lose them.
///
/// The first line has the length of the file of rows, behind which the others belong. The file is replaced as a whole.
struct OpenPeriodFile: Sendable {
    private let path: String

    private static let heading = "after "
    /// The largest size of a file that is read, in bytes.
    private static let largestSize = 1 << 22

    /// - Parameter rows: the file of rows, such as `door.csv`; the rows of its period are in `door.csv.open`.
    init(beside rows: URL) { path = rows.path(percentEncoded: false) + ".open" }

    /// Replaces the rows. A kill leaves the old ones or the new ones; a power failure may leave rows that are some seconds old.
    func write(_ rows: String, after byteCount: Int) throws(MediaError) {
        let new = path + ".new"
        do throws(DurableFileError) {
            let file = try FileDescriptor(new, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o666)
            try file.write(Data("\(Self.heading)\(byteCount)\n\(rows)".utf8))
            guard rename(new, path) == 0 else { throw DurableFileError(path: path, code: errno) }
        } catch {
            unlink(new)
            throw MediaError(writing: path, error)
        }
    }

    /// The rows that a run left behind which was killed, without those that the file of rows has already: a kill may leave some rows of a
    /// period there.
    ///
    /// - Parameter text: gives the text of the file of rows behind its first bytes.
    func rows(missingIn text: (_ byteCount: Int) -> String) -> String {
        guard let found = try? DurableFile.end(of: path, size: Self.largestSize), found.hasPrefix(Self.heading),
            let feed = found.firstIndex(of: "\n"), let byteCount = Int(found[..<feed].dropFirst(Self.heading.count)),
            case let rows = found[found.index(after: feed)...], rows.hasSuffix("\n")
        else { return "" }
        let written = Set(text(byteCount).split(separator: "\n").map(Self.key))
        return rows.split(separator: "\n").filter { !written.contains(Self.key($0)) }.map { $0 + "\n" }.joined()
    }

    /// The start, the place and the label of a row. Its end is that of the period or of a moment in it, and its last three fields are counts.
    private static func key(_ row: Substring) -> [Substring] {
        let fields = row.split(separator: ",", omittingEmptySubsequences: false)
        return fields.count < 6 ? fields : Array(fields.prefix(1) + fields[2..<fields.count - 3])
    }

    /// Removes the file.
    func remove() {
        unlink(path)
        unlink(path + ".new")
    }
}
