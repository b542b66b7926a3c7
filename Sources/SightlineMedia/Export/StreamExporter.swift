import Foundation
import Sightline

/// Writes the results of a stream as text, frame by frame.
///
/// ```swift
/// var exporter = try StreamExporter(.csv, to: URL(filePath: "objects.csv"))
/// for try await analyzed in detector.results(in: video.frames()) {
///     try exporter.append(analyzed.result)
/// }
/// try exporter.finish()
/// ```
///
/// Nothing of a frame is kept, so that memory does not grow with the length of a stream.
public struct StreamExporter {
    private let format: ExportFormat
    private let write: (String) throws -> Void
    private var coco: COCOText?
    private var hasBegun = false

    /// Writes through a function, for example to standard output.
    ///
    /// - Parameters:
    ///   - format: what the text looks like.
    ///   - write: takes one text after the other, ASCII apart from labels.
    /// - Throws: `MediaError.unwritable` if ``ExportFormat/coco`` gets no temporary file.
    public init(_ format: ExportFormat, write: @escaping (String) throws -> Void) throws(MediaError) {
        self.format = format
        self.write = write
        coco = format == .coco ? try COCOText() : nil
    }

    /// Writes to a file, frame by frame; a file that is there is replaced.
    ///
    /// - Throws: `MediaError.unwritable`.
    public init(_ format: ExportFormat, to url: URL) throws(MediaError) {
        let file = try ExportFile(url)
        try self.init(format) { try file.write($0) }
    }

    /// Writes what was found in a frame.
    ///
    /// - Throws: what the writing function throws; `MediaError.unwritable` for a file.
    public mutating func append(_ result: StreamResult) throws {
        try begin()
        switch format {
        case .jsonLines: try write(JSONText(result).text + "\n")
        case .csv: try writeUnlessEmpty(CSVText.rows(result))
        case .mot: try writeUnlessEmpty(MOTText.rows(result))
        case .coco: try writeUnlessEmpty(coco?.annotations(of: result) ?? "")
        }
    }

    /// Writes what comes after the last frame; a text of COCO is none without it.
    public mutating func finish() throws {
        try begin()
        try coco?.finish(write)
    }

    private mutating func begin() throws {
        guard !hasBegun else { return }
        hasBegun = true
        switch format {
        case .jsonLines, .mot: break
        case .csv: try write(CSVText.resultHeader)
        case .coco: try write(COCOText.start)
        }
    }

    private func writeUnlessEmpty(_ text: String) throws {
        if !text.isEmpty { try write(text) }
    }
}

/// A file that text is appended to, written through at once.
package final class ExportFile {
    private let handle: FileHandle
    private let path: String

    package init(_ url: URL) throws(MediaError) {
        path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    package func write(_ text: String) throws(MediaError) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
    }
}
