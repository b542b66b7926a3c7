import ArgumentParser
import Foundation
import ProcessSandbox
import Sightline
import TensorFlowLite

/// Packs labels into an uploaded model, in a separate process.
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
        // An ONNX model may have to run once to show the number of its classes.
        if ModelFormat.isONNX(at: URL(filePath: model)) {
            try? ModelFormat.loadRuntime(forModelAt: URL(filePath: model))
        }
        ProcessSandbox(reading: [model, labels]).enter()
        try ModelOutput.write {
            let file = URL(filePath: model)
            let bytes = try Data(contentsOf: file)
            if !ModelFormat.isONNX(bytes), let error = bytes.withUnsafeBytes({ ModelError(foreign: $0) }) {
                throw error
            }
            return try ModelFormat.pack(try text(for: LocalModel(url: file)), fileName: name, into: bytes)
        }
    }

    /// The labels for a model. Errors name the label file as its owner does, not as the hub stores it.
    private func text(for model: LocalModel) throws -> Data {
        do {
            return try model.packedLabels(from: URL(filePath: labels))
        } catch .labelCount(_, _, let labels, let classes) {
            throw CommandError(
                "\(name) has \(labels) labels but the model has \(classes) classes; use the label file that belongs to the model."
            )
        } catch .labels(_, let reason) {
            throw CommandError("\(name) cannot be used: \(reason); save it as UTF-8 text with one name a line.")
        } catch .unusable(_, let reason) {
            throw reason
        }
    }
}
