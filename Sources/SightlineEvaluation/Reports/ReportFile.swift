import DurableFiles
import Foundation

/// Reports as files.
package enum ReportFile {
    /// Writes a file completely or not at all.
    ///
    /// - Throws: `EvaluationError.unwritable`.
    package static func write(_ text: String, to path: String) throws(EvaluationError) {
        do {
            try DurableFile.write(Data(text.utf8), to: URL(filePath: path), permissions: 0o666)
        } catch {
            throw .unwritable(path: path, reason: "check that its folder exists and may be written to")
        }
    }
}
