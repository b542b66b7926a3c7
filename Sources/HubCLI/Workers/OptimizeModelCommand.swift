import ArgumentParser
import Foundation
import ProcessSandbox
import Sightline
import TensorFlowLite

/// Rewrites an uploaded model so that it runs faster, in a separate process.
///
/// The output is that of ``PackLabelsCommand``: a byte 1 and the rewritten model, or a byte 0 and a sentence with the reason.
struct OptimizeModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize-model",
        abstract: "Rewrite a model so that it runs faster, in a sandbox."
    )

    @Argument(help: "The model's file.")
    var model: String

    func run() throws {
        // The runtime library is loaded first, because the optimizer lets the runtime check the rewritten model.
        try? ModelFormat.loadRuntime(forModelAt: URL(filePath: model))
        ProcessSandbox(reading: [model]).enter()
        try ModelOutput.write { try ModelOptimizer().optimized(Model(contentsOf: URL(filePath: model))).model.data }
    }
}

/// The output of a process that makes a model from another: a byte 1 and the model, or a byte 0 and a sentence with the
/// reason for its absence.
enum ModelOutput {
    /// Writes a model.
    ///
    /// - Throws: exit code 2 after the reason is written.
    static func write(_ model: () throws -> Data) throws {
        let data: Data
        do {
            data = try model()
        } catch {
            try FileHandle.standardOutput.write(contentsOf: Data([0]) + Data("\(error)".utf8))
            throw ExitCode(2)
        }
        try FileHandle.standardOutput.write(contentsOf: Data([1]))
        try FileHandle.standardOutput.write(contentsOf: data)
    }
}
