import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import TensorFlowLite

/// Examines a new model, in a process of its own.
struct ExamineModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examine-model",
        abstract: "Load a model in a sandbox and describe it in JSON."
    )

    @Argument(help: "The model's file.")
    var model: String

    func run() throws {
        // The runtime library is loaded first. If it is missing, the examination reports that.
        try? Runtime.load()
        ProcessSandbox(reading: [model]).enter()
        let data = try JSONEncoder().encode(ModelExamination(ofModelAt: model))
        // The write fails if the hub is gone.
        try FileHandle.standardOutput.write(contentsOf: data)
    }
}
