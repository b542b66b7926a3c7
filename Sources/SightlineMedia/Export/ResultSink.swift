import Foundation
import Sightline

/// Writes results in one format.
///
/// Call ``begin()`` once, then ``append(_:)-(PictureResult)`` for each picture or ``append(_:events:)`` for each frame, then
/// ``finish()``. A sink keeps no results, so that its memory does not grow with the number of pictures or the length of a stream. If the process ends before ``finish()``, the
/// output holds all records up to that point.
///
/// ```swift
/// var sink = try ResultFormat.csv.sink(for: .frames, to: URL(filePath: "objects.csv"))
/// try sink.begin()
/// for try await analyzed in detector.results(in: video.frames()) {
///     try sink.append(analyzed.result)
/// }
/// try sink.finish()
/// ```
///
/// A new format is a type that conforms to this protocol, a `ResultFormat` that makes it, and an entry in `ResultFormat.all`.
public protocol ResultSink: Sendable {
    /// Writes the text before the first record.
    ///
    /// - Throws: the error of the writing function; `MediaError.unwritable` or `.diskFull` for a file.
    mutating func begin() throws

    /// Writes the results for a picture.
    ///
    /// - Throws: the error of the writing function; `MediaError.unwritable` or `.diskFull` for a file.
    mutating func append(_ picture: PictureResult) throws

    /// Writes the results for a frame of a stream, and the events of `StreamHistory` in it.
    ///
    /// - Throws: the error of the writing function; `MediaError.unwritable` or `.diskFull` for a file.
    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws

    /// Writes an object of a stream that cannot come back, from the event `lost` of `StreamHistory`. Most formats have all of it in the frames, and
    /// write nothing.
    ///
    /// - Throws: the error of the writing function; `MediaError.unwritable` or `.diskFull` for a file.
    mutating func append(_ object: StreamObject) throws

    /// Writes the text after the last record.
    ///
    /// - Throws: the error of the writing function; `MediaError.unwritable` or `.diskFull` for a file.
    mutating func finish() throws
}

extension ResultSink {
    /// Writes nothing.
    public mutating func begin() throws {}
    /// Writes nothing.
    public mutating func append(_ picture: PictureResult) throws {}
    /// Writes nothing.
    public mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws {}
    /// Writes the results for a frame without events.
    public mutating func append(_ frame: StreamResult) throws { try append(frame, events: []) }
    /// Writes nothing.
    public mutating func append(_ object: StreamObject) throws {}
    /// Writes nothing.
    public mutating func finish() throws {}
}

/// Settings of a sink. Each format uses those that it needs.
public struct ResultSinkOptions: Sendable {
    /// The kind of the records.
    public var kind: ResultKind
    /// Whether a table names each picture.
    public var showsNames = true
    /// Whether JSON has the times of the stages, which differ from run to run.
    public var writesTimes = true
    /// Returns the model's labels by their indices. Only formats that list all classes call it.
    public var classNames: @Sendable () throws -> [String] = { [] }

    /// The model that JSON names in each record; nil for none.
    public var model: ResultModel?

    /// Creates the default settings.
    public init(kind: ResultKind) { self.kind = kind }
}
