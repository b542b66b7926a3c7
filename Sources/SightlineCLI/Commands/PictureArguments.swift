import ArgumentParser
import Foundation
import Sightline
import SightlineMedia

/// The ways in which pictures come on standard input.
enum StandardInputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case paths, frames
}

/// The pictures of `detect` and `label`.
struct PictureArguments: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            """
            Files, folders (with all their pictures: \(ImageFormat.readableNames)), quoted glob patterns, http or https \
            addresses, or - for a picture on standard input.
            """,
            valueName: "input"
        ),
        completion: .file()
    )
    var inputs: [String] = []

    @Flag(
        name: .customLong("stdin"),
        help: """
            Read the paths of pictures from standard input, each on a line or each ended by NUL (find -print0). Each result is \
            written at once.
            """
    )
    var readsPathsFromStandardInput = false

    @Option(
        help: ArgumentHelp(
            """
            Read this from standard input: paths as --stdin does, or frames: pictures, each after a line with the number of its \
            bytes, a space and its name. A line with @ADDRESS in place of the number stands for the picture at an http or https \
            address. Answers come in the order of the frames (default: paths).
            """,
            valueName: "format"
        )
    )
    var stdinFormat: StandardInputFormat?

    @Flag(
        help:
            """
            Skip the pictures that the file of --output already has, and write the others after them, also those that failed \
            before; for jsonl and csv. A file that another model wrote, or other options, is refused.
            """
    )
    var resume = false

    @Option(
        help: ArgumentHelp(
            """
            Replace the folder in the name of each picture in results with this text, for example the address of the folder for Label \
            Studio: https://example.org/photos/.
            """,
            valueName: "prefix"
        )
    )
    var imagePrefix = ""

    @Flag(
        help: """
            Exit with 0 even if pictures failed or were skipped, for programs that look for errors in the results.
            """
    )
    var keepGoing = false

    @OptionGroup var limits: LimitArguments

    func validate() throws {
        if let standardInput, !inputs.isEmpty {
            let option = stdinFormat == nil ? "--stdin" : "--stdin-format \(standardInput)"
            throw ValidationError("Give either pictures or \(option), not both.")
        }
        if standardInput == nil, inputs.isEmpty {
            throw ValidationError("Name at least one picture, folder or pattern, or - for a picture on standard input.")
        }
        if inputs.contains("") {
            throw ValidationError(
                "The name of a picture is empty; perhaps a variable on the command line is not set."
            )
        }
    }

    /// The contents of standard input; nil if the command line names the pictures.
    var standardInput: StandardInputFormat? { stdinFormat ?? (readsPathsFromStandardInput ? .paths : nil) }

    /// The format unless the command line has another: lines of JSON for a list of pictures that may have no end.
    var defaultFormat: ResultFormat { standardInput == nil ? .table : .jsonLines }

    /// Whether there is just one picture.
    var isSingle: Bool {
        standardInput == nil && inputs.count == 1 && !inputs.contains(where: InputSequence.canBeSeveral)
    }
}
