import ArgumentParser
import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

struct ModelsUseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Choose the detector that detect, track, watch and serve use without --model.",
        discussion: """
            A model of the catalog that is not installed is installed first. A name takes precedence over a file; ./NAME is always a file. The choice is \
            stored with the installed models. A command that is running keeps its model.

            Examples:
              sightline models use \(DefaultModelHelp.best)
              sightline models use plants.tflite
              sightline models use built-in

            \(ModelsCommand.exitCodes)
            """
    )

    @Argument(
        help: "The name of a detector that is installed or in the catalog, a detector's file, or built-in.",
        completion: .defaultModel
    )
    var name: String

    @OptionGroup var source: InstallationArguments

    func validate() throws {
        if name == DefaultModel.builtIn, source.isUsed {
            throw ValidationError("The built-in models need no installation; leave out the other options.")
        }
    }

    func run() throws {
        let store = ModelStore.ofUser()
        let choice = name == DefaultModel.builtIn ? nil : try detector(in: store)
        try reporting { try store.chooseDefault(choice) }
        StandardOutput.write("detect, track, watch and serve now use \(choice ?? "the built-in detector").\n")
        if let other = ProcessInfo.processInfo.environment[DefaultModel.variable], !other.isEmpty {
            StandardError.report("\(DefaultModel.variable) is \(other), which overrides this choice; unset it.")
        }
    }

    /// The name of an installed detector, or the absolute path of a file.
    ///
    /// - Throws: an exit code after a message, if the model is not usable or is not a detector.
    private func detector(in store: ModelStore) throws -> String {
        if !source.isUsed, store[name] == nil, FileManager.default.fileExists(atPath: name), !isInCatalog {
            let path = URL(filePath: name).standardizedFileURL.path
            try check(LocalModel(url: URL(filePath: path)))
            return path
        }
        let installed = try store[name].flatMap { source.isUsed ? nil : $0 } ?? install(in: store)
        try check(LocalModel(url: installed.model))
        return name
    }

    private var isInCatalog: Bool { (try? ModelCatalog.bundled())?[name] != nil }

    /// Installs the model, which the catalog or the options of the command know.
    private func install(in store: ModelStore) throws -> InstalledModel {
        guard source.isUsed || isInCatalog else {
            return try reporting {
                _ = try LocalModel(named: name, store: store)
                return try store.model(named: name)
            }
        }
        return try source.install(name, in: store)
    }

    /// Refuses a model that cannot find objects.
    private func check(_ model: LocalModel) throws {
        _ = try loading([RequestedModel(model, named: name, for: .detection)]) {
            try ObjectDetector(options: ObjectDetectorOptions(model: model))
        }
    }
}
