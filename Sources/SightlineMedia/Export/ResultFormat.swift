import Foundation
import Sightline

/// A format of results.
public struct ResultFormat: Sendable {
    /// A function that takes one piece of text after another.
    public typealias Writer = @Sendable (String) throws -> Void

    private enum Destination: Sendable {
        case text(@Sendable (ResultSinkOptions, @escaping Writer) throws -> any ResultSink)
        case folder(@Sendable (ResultSinkOptions, URL) throws -> any ResultSink)
    }

    /// The formats. Commands take their names, help texts and file extensions from this list.
    public static let all: [ResultFormat] = [
        .table, .json, .jsonLines, .csv, .mot, .coco, .cocoPolygons, .yolo, .yoloWithConfidence, .yoloOutlines,
        .labelStudio, .labelStudioPolygons,
    ]

    /// The name on the command line.
    public let name: String
    /// A sentence for a command's help.
    public let summary: String
    /// The extensions of files in this format, in lower case and without the dot.
    public let fileExtensions: [String]
    /// The kinds of results that the format supports.
    public let kinds: Set<ResultKind>
    /// Whether a failed picture has a record with the reason.
    public let holdsFailures: Bool
    private let destination: Destination
    /// Reads the results that a file already has; nil if no run can continue such a file.
    private(set) var earlierResults: (@Sendable (URL, ResultKind) throws(MediaError) -> EarlierResults)?

    /// Creates a format whose results are one text.
    ///
    /// - Parameters:
    ///   - name: the name on the command line.
    ///   - summary: a sentence for a command's help.
    ///   - fileExtensions: the extensions of files in this format, in lower case and without the dot.
    ///   - kinds: the kinds of results that the format supports.
    ///   - holdsFailures: whether a failed picture has a record with the reason.
    ///   - makeSink: makes a sink that writes through a function.
    public init(
        name: String,
        summary: String,
        fileExtensions: [String] = [],
        kinds: Set<ResultKind>,
        holdsFailures: Bool = false,
        makeSink: @escaping @Sendable (ResultSinkOptions, @escaping Writer) throws -> any ResultSink
    ) {
        (self.name, self.summary, self.fileExtensions) = (name, summary, fileExtensions)
        (self.kinds, self.holdsFailures) = (kinds, holdsFailures)
        destination = .text(makeSink)
    }

    /// Creates a format whose results are a folder of files.
    ///
    /// - Parameters:
    ///   - name: the name on the command line.
    ///   - summary: a sentence for a command's help.
    ///   - kinds: the kinds of results that the format supports.
    ///   - makeSink: makes a sink that writes files into a folder.
    public init(
        name: String,
        summary: String,
        kinds: Set<ResultKind>,
        makeFolderSink makeSink: @escaping @Sendable (ResultSinkOptions, URL) throws -> any ResultSink
    ) {
        (self.name, self.summary, self.fileExtensions) = (name, summary, [])
        (self.kinds, self.holdsFailures) = (kinds, false)
        destination = .folder(makeSink)
    }

    /// The same format, whose files an interrupted run can continue.
    ///
    /// - Parameter earlierResults: reads the results that a file already has.
    func resuming(
        _ earlierResults: @escaping @Sendable (URL, ResultKind) throws(MediaError) -> EarlierResults
    ) -> ResultFormat {
        var format = self
        format.earlierResults = earlierResults
        return format
    }

    /// Finds the format with a name.
    public init?(name: String) {
        guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// Finds the first format that supports a kind of results and has the extension of a file's name.
    public init?(fileName: String, for kind: ResultKind) {
        let wanted = URL(filePath: fileName).pathExtension.lowercased()
        let format = Self.all.first { $0.kinds.contains(kind) && $0.fileExtensions.contains(wanted) }
        guard let format else { return nil }
        self = format
    }

    /// Whether the results are a folder of files and cannot be one text.
    public var needsFolder: Bool {
        if case .folder = destination { true } else { false }
    }

    /// Makes a sink that writes to a file or, if the format needs one, to a folder. An existing file is replaced.
    ///
    /// - Parameters:
    ///   - options: the settings.
    ///   - url: the file or folder. The folder is created if it is missing.
    /// - Throws: `MediaError.unsupportedResults`, `.unwritable` or `.diskFull`, or the error of ``ResultSinkOptions/classNames``.
    public func sink(_ options: ResultSinkOptions, to url: URL) throws -> any ResultSink {
        try sink(options, to: url, after: 0)
    }

    /// Makes a sink that writes to a file after its first bytes, or to a folder.
    func sink(_ options: ResultSinkOptions, to url: URL, after byteCount: Int) throws -> any ResultSink {
        try check(options.kind)
        switch destination {
        case .text(let make):
            let file = try TextFile(url, after: byteCount)
            return try make(options) { try file.write($0) }
        case .folder(let make):
            return try make(options, url)
        }
    }

    /// Makes a sink with default settings that writes to a file or, if the format needs one, to a folder.
    ///
    /// - Throws: `MediaError.unsupportedResults`, `.unwritable` or `.diskFull`.
    public func sink(for kind: ResultKind, to url: URL) throws -> any ResultSink {
        try sink(ResultSinkOptions(kind: kind), to: url)
    }

    /// Makes a sink that writes through a function, for example to standard output.
    ///
    /// - Parameters:
    ///   - options: the settings.
    ///   - write: takes one piece of text after another.
    /// - Throws: `MediaError.unsupportedResults`, also for a format that needs a folder, or the error of
    ///   ``ResultSinkOptions/classNames``.
    public func sink(_ options: ResultSinkOptions, writingTo write: @escaping Writer) throws -> any ResultSink {
        try check(options.kind)
        guard case .text(let make) = destination else {
            throw MediaError.unsupportedResults(format: name, reason: "it consists of several files; name a folder")
        }
        return try make(options, write)
    }

    func check(_ kind: ResultKind) throws(MediaError) {
        guard kinds.contains(kind) else {
            let names = Self.all.filter { $0.kinds.contains(kind) }.map(\.name).joined(separator: ", ")
            let noun =
                switch kind {
                case .objects: "objects in pictures"
                case .labels: "labels of pictures"
                case .frames: "frames of a stream"
                }
            throw .unsupportedResults(format: name, reason: "it cannot hold \(noun); choose one of \(names)")
        }
    }
}

extension ResultFormat: Hashable {
    /// Formats are equal if their names are.
    public static func == (first: ResultFormat, second: ResultFormat) -> Bool { first.name == second.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
