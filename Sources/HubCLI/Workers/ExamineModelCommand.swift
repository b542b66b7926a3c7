import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import TensorFlowLite

/// What the hub runs in a process of its own for each new model.
struct ExamineModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examine-model",
        abstract: "Load a model in a sandbox and describe it in JSON."
    )

    @Argument(help: "The model's file.")
    var model: String

    func run() throws {
        // Libraries are loaded first. If there is none, the examination says so.
        try? Runtime.load()
        ProcessSandbox(reading: [model]).enter()
        let data = try JSONEncoder().encode(ModelExamination(ofModelAt: model))
        // Nobody reads it if the hub is gone.
        try FileHandle.standardOutput.write(contentsOf: data)
    }
}
