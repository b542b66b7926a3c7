import ArgumentParser
import Foundation
import Sightline
import SightlineMedia

/// The pictures of `detect` and `label`.
struct PictureArguments: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            """
            Files, folders (with all their pictures: \(ImageFormat.readableNames)), quoted glob patterns, http or https \
            addresses, or - for a picture on standard input.
            """,
            valueName: "input"
        )
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

    @Flag(
        help:
            "Skip the pictures that the file of --output already has, and write the others after them; for jsonl and csv."
    )
    var resume = false

    @Option(
        help: ArgumentHelp(
            """
            Put this before the name of each picture in results, for example the address of the folder for Label Studio: \
            https://example.org/photos/.
            """,
            valueName: "prefix"
        )
    )
    var imagePrefix = ""

    func validate() throws {
        if readsPathsFromStandardInput, !inputs.isEmpty {
            throw ValidationError("Give either pictures or --stdin, not both.")
        }
        if !readsPathsFromStandardInput, inputs.isEmpty {
            throw ValidationError("Name at least one picture, folder or pattern, or - for a picture on standard input.")
        }
        if inputs.contains("") {
            throw ValidationError(
                "The name of a picture is empty; perhaps a variable on the command line is not set."
            )
        }
    }

    /// The format unless the command line has another: lines of JSON for a list of pictures that may have no end.
    var defaultFormat: ResultFormat { readsPathsFromStandardInput ? .jsonLines : .table }

    /// Whether there is just one picture.
    var isSingle: Bool {
        !readsPathsFromStandardInput && inputs.count == 1 && !inputs.contains(where: InputSequence.canBeSeveral)
    }
}
