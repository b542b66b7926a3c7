import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import Sightline

/// Validates a new model in a separate process.
struct ValidateModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate-model",
        abstract: "Load a model in a sandbox and describe it in JSON."
    )

    @Argument(help: "The model's file.")
    var model: String

    func run() throws {
        // The runtime library is loaded first. If it is missing, the report states it.
        try? ModelFormat.loadRuntime(forModelAt: URL(filePath: model))
        ProcessSandbox(reading: [model]).enter()
        let data = try JSONEncoder().encode(ModelValidationReport(ofModelAt: model))
        // The write fails if the hub is gone.
        try FileHandle.standardOutput.write(contentsOf: data)
    }
}
