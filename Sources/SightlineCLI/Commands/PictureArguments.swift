import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline

/// How results are printed.
enum PictureFormatName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case table, json, jsonl, csv

    /// Whether a failed picture has a record that says why.
    var holdsErrors: Bool { self == .json || self == .jsonl }
}

/// How a picture is fitted into a model's input.
enum FitArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    case stretch, crop

    var imageFit: ImageFit { self == .stretch ? .stretch : .crop }
}

/// The arguments that `detect` and `label` share.
struct PictureArguments: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            "Files, folders (all pictures in them: \(ImageFormat.readableNames)), quoted glob patterns, or - for a picture on standard input.",
            valueName: "input"
        )
    )
    var inputs: [String] = []

    @Flag(
        name: .customLong("stdin"),
        help: """
            Read paths from standard input, one on each line or each ended by NUL (find -print0); print one line a picture \
            at once.
            """
    )
    var readsPathsFromStandardInput = false

    @Option(
        help: """
            A .tflite model, an AutoML export folder, its manifest.json, or the name of an installed model (default: the \
            built-in model).
            """,
        completion: .file()
    )
    var model: String?

    @Option(
        help: "A text file with one label a line, for the model or, if there is one, the classifier.",
        completion: .file()
    )
    var labels: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Look only at this part, in pixels of the upright picture.", valueName: "x,y,width,height")
    )
    var roi: RegionArgument?

    @Option(
        help: """
            Squeeze the picture into the model's shape, or use its largest centred part (default: crop to label, to \
            detect as the model was trained).
            """
    )
    var fit: FitArgument?

    @Option(help: "Only this label, in any case; repeat for several, or put commas between them.")
    var allow: [String] = []

    @Option(help: "Never this label; as with --allow.")
    var deny: [String] = []

    @Option(parsing: .unconditional, help: "Threads for each run of a model (default: one per core, at most 4 in all).")
    var threads: Int?

    @Option(parsing: .unconditional, help: "Pictures worked on at the same time.")
    var workers = 1

    @Option(help: "How to print results (default: table; jsonl with --stdin).")
    var format: PictureFormatName?

    @Option(
        help: ArgumentHelp(
            "Write the picture with its results drawn on it: a .png or .jpg file, or a folder for several pictures.",
            valueName: "out"
        ),
        completion: .file()
    )
    var annotate: String?

    /// Refuses what makes no sense; called by the commands, after the parser has refused unknown options.
    ///
    /// - Parameter modelsGiven: the models of which one may need the label file.
    func check(modelsGiven: [String?]) throws {
        if labels != nil, modelsGiven.allSatisfy({ $0 == nil }) {
            throw ValidationError("--labels belongs to a model; the built-in ones have their own.")
        }
        if readsPathsFromStandardInput, !inputs.isEmpty {
            throw ValidationError("Give either pictures or --stdin, not both.")
        }
        if !readsPathsFromStandardInput, inputs.isEmpty {
            throw ValidationError("Name at least one picture, folder or pattern, or - for a picture on standard input.")
        }
        if inputs.contains("") {
            throw ValidationError(
                "The name of a picture is empty; check the command line, perhaps a variable is not set."
            )
        }
        try Self.check(workers, isIn: 1...256, name: "workers")
        if let threads { try Self.check(threads, isIn: 1...256, name: "threads") }
        _ = try annotationTarget()
    }

    /// Refuses a number that makes no sense.
    static func check<Number: Comparable>(_ number: Number, isIn range: ClosedRange<Number>, name: String) throws {
        guard range.contains(number) else {
            throw ValidationError("--\(name) is \(number); it must be \(range.lowerBound) to \(range.upperBound).")
        }
    }

    /// Whether there is just one picture.
    var isSingle: Bool {
        !readsPathsFromStandardInput && inputs.count == 1 && !inputs.contains(where: InputSequence.canBeSeveral)
    }

    var outputFormat: PictureFormatName { format ?? (readsPathsFromStandardInput ? .jsonl : .table) }

    /// More threads than this make small models slower, not faster.
    private static let usefulThreads = 4

    var threadCount: Int {
        threads ?? max(min(ProcessInfo.processInfo.activeProcessorCount, Self.usefulThreads) / workers, 1)
    }

    /// Where annotated pictures go, if anywhere.
    func annotationTarget() throws -> AnnotationTarget? {
        do {
            return try annotate.map { try AnnotationTarget($0, isSingle: isSingle) }
        } catch {
            throw ValidationError(sentence(for: error))
        }
    }
}

/// A region as `x,y,width,height`.
struct RegionArgument: ExpressibleByArgument, Sendable, Hashable {
    let rect: PixelRect

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
            let height = numbers[3],
            [x, y, width, height].allSatisfy(\.isFinite), width > 0, height > 0
        else { return nil }
        rect = PixelRect(x: x, y: y, width: width, height: height)
    }
}
