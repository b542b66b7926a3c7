import ArgumentParser
import Foundation
import ModelHubServer

/// What the hub runs in a process of its own for each new model.
struct ExamineModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examine-model",
        abstract: "Load a model under limits of time and memory and describe it in JSON.",
        shouldDisplay: false
    )

    @Argument(help: "The model's file.")
    var model: String

    func run() throws {
        ModelExamination.Limits().apply()
        let data = try JSONEncoder().encode(ModelExamination(ofModelAt: model))
        // Nobody reads it if the hub is gone.
        try FileHandle.standardOutput.write(contentsOf: data)
    }
}
