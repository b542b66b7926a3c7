import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia

/// The kind of results that a command has.
protocol CommandResults: Sendable {
    static var kind: ResultKind { get }
}

/// Objects in pictures.
enum ObjectResults: CommandResults { static let kind = ResultKind.objects }

/// Labels of pictures.
enum LabelResults: CommandResults { static let kind = ResultKind.labels }

/// Tracked objects in frames.
enum FrameResults: CommandResults { static let kind = ResultKind.frames }

/// One of the formats that support the results of a command.
struct FormatArgument<Results: CommandResults>: ExpressibleByArgument, Sendable, Hashable {
    let format: ResultFormat

    private static var formats: [ResultFormat] { ResultFormat.all.filter { $0.kinds.contains(Results.kind) } }

    init?(argument: String) {
        guard let format = Self.formats.first(where: { $0.name == argument }) else { return nil }
        self.format = format
    }

    static var allValueStrings: [String] { formats.map(\.name) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static var allValueDescriptions: [String: String] {
        Dictionary(formats.map { ($0.name, $0.summary) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The format and the place of results.
struct OutputArguments<Results: CommandResults>: ParsableArguments, Sendable {
    @Option(
        help: """
            How to write results (default: by the extension of --output, otherwise a table; with --stdin jsonl, with \
            --detections mot).
            """
    )
    var format: FormatArgument<Results>?

    @Option(
        name: .shortAndLong,
        help: "Write results to this file, or for yolo to this folder, instead of standard output.",
        completion: .file()
    )
    var output: String?

    @Flag(help: "Leave out the times of the stages in JSON, so that equal runs write equal results.")
    var noTimes = false

    func validate() throws {
        guard let output else {
            if let format = format?.format, format.needsFolder {
                throw ValidationError(
                    "--format \(format.name) writes several files; name a folder: --output \(format.name)."
                )
            }
            return
        }
        if output.isEmpty {
            throw ValidationError(
                "The name after --output is empty; perhaps a variable on the command line is not set."
            )
        }
        if Self.holdsPictures(output) {
            throw ValidationError("--output takes results as text. To draw results, use --annotate \(output).")
        }
        let type = URL(filePath: output).pathExtension
        if format == nil, !type.isEmpty, type.lowercased() != "txt", !namesFolder,
            ResultFormat(fileName: output, for: Results.kind) == nil
        {
            throw ValidationError(
                """
                --output \(output): there is no format for files of the type \(type); name a .csv or .jsonl file, which other \
                programs convert, or give --format.
                """
            )
        }
    }

    /// Whether results go into a folder that has a file for each input.
    var namesFolder: Bool {
        guard let output, format?.format.needsFolder != true else { return false }
        return output.hasSuffix("/") || InputSequence.isFolder(output)
    }

    /// The chosen format.
    func resultFormat(default usual: ResultFormat) -> ResultFormat {
        format?.format ?? output.flatMap { ResultFormat(fileName: $0, for: Results.kind) } ?? usual
    }

    /// Whether standard output has no results for programs, so that a summary may go there.
    func printsSummary(_ format: ResultFormat) -> Bool { output != nil || format == .table }

    /// Whether another run can continue after the results of an interrupted one.
    func canResume(_ format: ResultFormat) -> Bool { output != nil && format.canResume }

    /// Makes the sink for the results.
    ///
    /// - Throws: `MediaError`.
    func sink(_ format: ResultFormat, _ options: ResultSinkOptions) throws -> any ResultSink {
        if let output { return try format.sink(options, to: URL(filePath: output)) }
        return try format.sink(options) { StandardOutput.writeAfterClearingProgress($0) }
    }

    /// Makes the sink for the results of pictures.
    ///
    /// - Parameters:
    ///   - resumes: whether the file of `--output` may have results already.
    ///   - run: describes the run that writes the results. Hashing its models takes milliseconds, which only a file needs.
    /// - Returns: the sink, and the names of the pictures that the file has.
    /// - Throws: `InputError` or `MediaError`.
    func sink(
        _ format: ResultFormat,
        _ options: ResultSinkOptions,
        resumes: Bool,
        run: () -> RunRecord
    ) throws -> (sink: any ResultSink, done: Set<String>) {
        guard let output else {
            guard !resumes else {
                throw InputError(
                    reason: "--resume continues a file; name it with --output, for example --output results.jsonl."
                )
            }
            return (try sink(format, options), [])
        }
        let hadResults = (DurableFile.size(URL(filePath: output)) ?? 0) > 0
        guard resumes else {
            let sink = try sink(format, options)
            if format.canResume {
                run().write(beside: output)
                if hadResults {
                    StandardError.report("\(output) had results, which are replaced; --resume would continue them.")
                }
            }
            return (sink, [])
        }
        let run = run()
        if format.canResume { try run.check(output) }
        let (sink, earlier) = try format.resumedSink(options, in: URL(filePath: output))
        run.write(beside: output)
        return (sink, earlier.names)
    }

    /// Whether a file of this name is a video or a picture.
    private static func holdsPictures(_ file: String) -> Bool {
        FileKind.isVideo(fileName: file) || ImageFormat.isReadable(fileName: file)
    }
}
