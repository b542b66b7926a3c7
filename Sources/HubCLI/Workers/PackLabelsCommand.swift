import ArgumentParser
import Foundation
import ProcessSandbox
import TensorFlowLite

/// Packs labels into an uploaded model, in a process of its own.
///
/// On success, standard output has a byte 1 and then the model with its labels, and the exit code is 0. On failure, it has a byte 0
/// and then a sentence with the reason, and the exit code is 2 (``ModelOutput``).
struct PackLabelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack-labels",
        abstract: "Put a label file into a model, in a sandbox."
    )

    @Argument(help: "The model's file.")
    var model: String

    @Argument(help: "A text file with one label on each line.")
    var labels: String

    @Argument(help: "The name that the label file gets in the model.")
    var name: String

    func run() throws {
        ProcessSandbox(reading: [model, labels]).enter()
        try ModelOutput.write {
            try ModelLabels.pack(
                try Data(contentsOf: URL(filePath: labels)),
                fileName: name,
                into: try Data(contentsOf: URL(filePath: model))
            )
        }
    }
}
