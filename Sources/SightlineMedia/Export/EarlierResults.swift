public import Foundation

/// The results that a file already has, so that an interrupted run can go on after them.
public struct EarlierResults: Sendable {
    /// The names of the pictures whose records are complete.
    public private(set) var names: Set<String> = []
    /// The length of the complete records in bytes. What follows belongs to a record that was cut off.
    private(set) var byteCount = 0

    /// Reads one record after another.
    ///
    /// - Parameters:
    ///   - file: a file of text.
    ///   - quotesHoldLines: whether a line feed between quotation marks belongs to the record, as in CSV.
    ///   - name: returns the name of the picture of a record; nil for a heading. It throws `MediaError` for a text that is not a
    ///     record of the format.
    init(
        in file: URL,
        quotesHoldLines: Bool,
        name: (_ record: Data) throws(MediaError) -> String?
    ) throws(MediaError) {
        let path = file.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let content: Data
        do {
            content = try Data(contentsOf: file, options: .alwaysMapped)
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
        // An editor may have put a byte order mark before the text.
        let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content
        var (start, isQuoted) = (text.startIndex, false)
        for index in text.indices {
            switch content[index] {
            case UInt8(ascii: "\"") where quotesHoldLines: isQuoted.toggle()
            case UInt8(ascii: "\n") where !isQuoted:
                if let name = try name(content[start..<index]) { names.insert(name) }
                start = content.index(after: index)
                byteCount = start - content.startIndex
            default: break
            }
        }
    }

    /// Takes the last picture back, because the file may lack some of its rows.
    mutating func removeLast(_ name: String, from start: Int) {
        names.remove(name)
        byteCount = start
    }
}

extension ResultFormat {
    /// Whether a run can go on in a file of this format.
    public var canResume: Bool { earlierResults != nil }

    /// Reads the results that a file already has, and makes a sink that writes further results after them. A record at the end of the
    /// file that was cut off is removed. Without the file, the sink creates it.
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
                reason: "an interrupted run cannot go on in such a file; choose \(names)"
            )
        }
        let earlier = try earlierResults(file, options.kind)
        let sink = try sink(options, to: file, after: earlier.byteCount)
        return (earlier.byteCount == 0 ? sink : ContinuedSink(sink: sink), earlier)
    }
}

/// Writes records after others, without a heading.
private struct ContinuedSink: ResultSink {
    var sink: any ResultSink

    mutating func append(_ record: ResultRecord) throws { try sink.append(record) }
    mutating func finish() throws { try sink.finish() }
}
