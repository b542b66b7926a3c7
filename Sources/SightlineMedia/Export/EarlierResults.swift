import DurableFiles
public import Foundation
import Sightline

/// The results that a file already has, so that an interrupted run can continue after them.
public struct EarlierResults: Sendable {
    /// The names of the pictures whose records are complete, without those that failed.
    public private(set) var names: Set<String> = []
    /// The length of the complete records in bytes. What follows belongs to a record that was cut off.
    private(set) var byteCount = 0

    /// The places of the records of pictures that failed, in bytes and in their order.
    private(set) var failures: [Range<Int>] = []

    /// Reads one record after another.
    ///
    /// - Parameters:
    ///   - file: a file of text.
    ///   - quotesHoldLines: whether a line feed between quotation marks belongs to the record, as in CSV.
    ///   - read: returns the name of the picture of a record, and whether the picture failed; nil for a heading. It throws `MediaError`
    ///     for a text that is not a record of the format.
    init(
        in file: URL,
        quotesHoldLines: Bool,
        read: (_ record: Data) throws(MediaError) -> (name: String, hasFailed: Bool)?
    ) throws(MediaError) {
        let path = file.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let content: Data
        do {
            content = try Data(contentsOf: file, options: .alwaysMapped)
        } catch {
            throw .unwritable(path: path, reason: SystemReason.of(error))
        }
        // An editor may have put a byte order mark before the text.
        let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content
        var (start, isQuoted) = (text.startIndex, false)
        for index in text.indices {
            switch content[index] {
            case UInt8(ascii: "\"") where quotesHoldLines: isQuoted.toggle()
            case UInt8(ascii: "\n") where !isQuoted:
                let end = content.index(after: index)
                if let (name, hasFailed) = try read(content[start..<index]) {
                    if hasFailed { failures.append(start..<end) } else { names.insert(name) }
                }
                start = end
                byteCount = start - content.startIndex
            default: break
            }
        }
    }

    /// Takes the last picture back, because the file may lack some of its rows.
    mutating func removeLast(_ name: String, from start: Int) {
        names.remove(name)
        byteCount = start
        failures.removeAll { $0.lowerBound >= start }
    }

    /// Removes the records of pictures that failed from the file, so that each picture has one record after it was tried again. The
    /// file is complete at each moment.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`; the file is then unchanged.
    fileprivate mutating func removeFailures(from file: URL) throws(MediaError) {
        guard !failures.isEmpty else { return }
        let file = file.resolvingSymlinksInPath()
        let path = file.path(percentEncoded: false)
        let staged = file.deletingLastPathComponent()
            .appending(path: "\(DurableFile.partialPrefix)\(file.lastPathComponent)-\(UUID().uuidString)")
            .path(percentEncoded: false)
        do {
            var status = stat()
            guard stat(path, &status) == 0 else { throw DurableFileError(path: path, code: errno) }
            let content = try Data(contentsOf: file, options: .alwaysMapped)
            let copy = try FileDescriptor(staged, O_WRONLY | O_CREAT | O_EXCL, permissions: status.st_mode & 0o777)
            var (start, count) = (0, 0)
            for failure in failures + [byteCount..<byteCount] {
                try copy.write(content[start..<failure.lowerBound])
                count += failure.lowerBound - start
                start = failure.upperBound
            }
            try copy.synchronize()
            try DurableFile.move(staged, to: file)
            (failures, byteCount) = ([], count)
        } catch {
            unlink(staged)
            throw MediaError(writing: path, error)
        }
    }
}

extension ResultFormat {
    /// Whether a run can continue a file of this format.
    public var canResume: Bool { earlierResults != nil }

    /// Reads the results that a file already has, and makes a sink that writes further results after them. A record at the end of the
    /// file that was cut off is removed, and so are the records of pictures that failed. Without the file, the sink creates it.
    ///
    /// - Throws: `MediaError.unsupportedResults` if ``canResume`` is false; `.otherContents` if the file has other contents than such
    ///   results; `.unwritable` if it cannot be written.
    public func resumedSink(
        _ options: ResultSinkOptions,
        in file: URL
    ) throws -> (sink: any ResultSink, earlier: EarlierResults) {
        guard let earlierResults else {
            let names = Self.all.filter(\.canResume).map(\.name).joined(separator: " or ")
            throw MediaError.unsupportedResults(
                format: name,
                reason: "an interrupted run cannot continue such a file; choose \(names)"
            )
        }
        try check(options.kind)
        var earlier = try earlierResults(file, options.kind)
        try earlier.removeFailures(from: file)
        let sink = try sink(options, to: file, after: earlier.byteCount)
        return (earlier.byteCount == 0 ? sink : ContinuedSink(sink: sink), earlier)
    }
}

/// Writes records after others, without a heading.
private struct ContinuedSink: ResultSink {
    var sink: any ResultSink

    mutating func append(_ picture: PictureResult) throws { try sink.append(picture) }
    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws { try sink.append(frame, events: events) }
    mutating func finish() throws { try sink.finish() }
}
