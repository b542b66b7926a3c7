import ArgumentParser
import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline
import TextFormatting

struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "Install public models and use them by their names.",
        discussion: """
            Models are installed into ${XDG_DATA_HOME:-~/.local/share}/sightline/models, each in a folder of its own. The command \
            never touches other folders there. The best detector is \(DefaultModelHelp.best).

            Examples:
              sightline models list
              sightline models use \(DefaultModelHelp.best)
              sightline models install coco-ssd-mobilenet-v1
              sightline detect photo.jpg --model coco-ssd-mobilenet-v1
              sightline models install birds --from https://example.org/birds.tflite \\
                --sha256 HASH
              sightline models install \(DefaultModelHelp.best) --mirror /media/usb/models
              sightline models install --runtime onnx
            """,
        subcommands: [
            ModelsListCommand.self, ModelsUseCommand.self, ModelsShowCommand.self, ModelsInstallCommand.self,
            ModelsRemoveCommand.self, ModelsPathCommand.self,
        ]
    )

    static let exitCodes = ExitStatus.help()
}

struct ModelsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the models of the catalog and the installed models.",
        discussion: """
            AP is the mean average precision at the IoUs 0.5 to 0.95, from 0 to 1, for models that find COCO's 80 kinds of \
            objects. MS is the time of a run of the model in milliseconds. The line below the table describes the measurement. \
            `sightline compare` measures models on your machine and your pictures. Detectors come first, sorted by AP. \
            The default, which detect, track, watch and serve use without --model, is marked; the built-in detector is part of \
            Sightline, and only the table has it.

            In JSON, a model is {"name", "task", "summary", "publisher", "license", "address", "byteCount", "sha256", \
            "labelCount", "labels", "input": {"width", "height"}, "measured": {"ap", "milliseconds", "pictures", "processor"}, \
            "path", "installedFrom", "isInstalledFileVerified", "isDefault"}; unknown values are left out.
            """
    )

    @OptionGroup var list: ListOptions

    func run() throws {
        let (catalog, measurements) = try reporting { (try ModelCatalog.bundled(), try ModelMeasurements.bundled()) }
        let store = ModelStore.ofUser()
        // An installation without its models still lists what it can install.
        let builtIn = try? ModelDescription(builtInDetector: measurements)
        let others = store.installed().filter { catalog[$0.name] == nil }
        var models =
            catalog.entries.map { ModelDescription($0, measurements, installed: store[$0.name]) }
            + others.map { ModelDescription($0) }
        // A default that is gone does not hide the list that helps to choose another.
        let chosen = Result { try DefaultModel.ofUser(store: store) }
        if case .success(let model) = chosen { models.markDefault(model) }
        models.sortByPrecision()
        try list.format.print(models) {
            var all = models
            if var builtIn {
                if case .success(nil) = chosen { builtIn.isDefault = true }
                all.append(builtIn)
            }
            all.sortByPrecision()
            let rows = all.map(\.row)
            return TextTable(columns: ModelDescription.columns, rows: rows).text + """

                AP on \(measurements.pictures); MS on one thread of \(measurements.processor), the fastest of \
                \(measurements.runs) runs.

                """
        }
        if case .failure(let error) = chosen { StandardError.report(sentence(for: error)) }
    }
}

struct ModelsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the description of a model of the catalog or of an installed model."
    )

    @Argument(help: "The model's name.", completion: .model)
    var name: String

    @Option(help: "How to print the description.")
    var format = OutputFormat.table

    func run() throws {
        let description = try reporting {
            let store = ModelStore.ofUser()
            let catalog = try ModelCatalog.bundled()
            if name == DefaultModel.builtIn { return try ModelDescription(builtInDetector: .bundled()) }
            if let entry = catalog[name] {
                return ModelDescription(entry, try .bundled(), installed: store[name])
            }
            if let installed = store[name] { return ModelDescription(installed) }
            _ = try catalog.entry(named: name)
            return ModelDescription(try store.model(named: name))
        }
        try format.print(description) { description.text }
    }
}

struct ModelsInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Download, verify and install models.",
        discussion: """
            If a download is interrupted, run the command again to continue it. A model is installed only if it is complete and \
            its SHA-256 matches. With --from, it may be a .tflite or an .onnx file.

            The library that runs .onnx files, ONNX Runtime, is not a part of every installation of Sightline. With --runtime onnx, \
            the command downloads the tested release from PyPI, verifies it, and installs it in \
            ${XDG_DATA_HOME:-~/.local/share}/sightline for this user.

            Examples:
              sightline models install yolox-nano-ti-lite
              sightline models install mine --from best.onnx
              sightline models install --runtime onnx

            \(ModelsCommand.exitCodes)
            """
    )

    @Argument(help: "Names from the catalog; with --from or --mirror, any names.", completion: .model)
    var names: [String] = []

    @Option(help: "Install the library that runs the models of a format.")
    var runtime: Format?

    @OptionGroup var source: InstallationArguments

    /// A format of models.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case onnx, tflite
    }

    func validate() throws {
        if runtime != nil, !names.isEmpty || source.isUsed {
            throw ValidationError("--runtime installs a library; install models in another command.")
        }
        if names.isEmpty, runtime == nil { throw ValidationError("Name the models to install.") }
        if names.count > 1, source.from != nil || source.sha256 != nil {
            throw ValidationError("--from and --sha256 belong to one model; install several one by one.")
        }
    }

    func run() throws {
        if let runtime { return try install(runtime) }
        let store = ModelStore.ofUser()
        for name in names {
            let installed = try source.install(name, in: store)
            StandardOutput.write("\(name): \(installed.model.path)\n")
        }
    }

    private func install(_ runtime: Format) throws {
        try reporting {
            let releases = ModelFormat.runtimeReleases(forModelsEndingIn: runtime.rawValue)
            let installation = try RuntimeInstallation(among: releases)
            if !installation.isComplete {
                StandardError.report("downloading the library; this can take a minute.")
                try installation.run()
            }
            StandardOutput.write("\(installation.library.path)\n")
        }
    }
}

struct ModelsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove installed models and incomplete downloads.",
        discussion: ModelsCommand.exitCodes
    )

    @Argument(help: "The models' names.", completion: .installedModel)
    var names: [String]

    func run() throws {
        let store = ModelStore.ofUser()
        for name in names {
            try reporting {
                let isDefault = (try? store.chosenDefault()) == name
                try store.remove(name)
                guard isDefault else { return }
                try store.chooseDefault(nil)
                StandardError.report(
                    "\(name) was the default; detect, track, watch and serve now use the built-in detector."
                )
            }
        }
    }
}

struct ModelsPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the path of an installed model or of the models folder.",
        discussion: ModelsCommand.exitCodes
    )

    @Argument(help: "The model's name.", completion: .installedModel)
    var name: String?

    func run() throws {
        let store = ModelStore.ofUser()
        let path = try reporting {
            if name == DefaultModel.builtIn { return LocalModel.builtInDetector.url.path }
            return try name.map { try store.model(named: $0).model.path } ?? store.folder.path
        }
        StandardOutput.writeExactly(path + "\n")
    }
}
