import ArgumentParser
import CommandLineSupport
import Foundation
import ModelCatalog
import TextFormatting

struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "Install public models and use them by their names.",
        discussion: """
            Models are installed into ${XDG_DATA_HOME:-~/.local/share}/sightline/models, each in a folder of its own. The command \
            never touches other folders there.

            Examples:
              sightline models list
              sightline models install coco-ssd-mobilenet-v1
              sightline detect photo.jpg --model coco-ssd-mobilenet-v1
              sightline models install birds --from https://example.org/birds.tflite \\
                --sha256 HASH
              sightline models install yolox-nano --mirror /media/usb/models
            """,
        subcommands: [
            ModelsListCommand.self, ModelsShowCommand.self, ModelsInstallCommand.self, ModelsRemoveCommand.self,
            ModelsPathCommand.self,
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
            objects. MS is the time of a run of the model in milliseconds. The line below the table says on what both were measured. \
            `sightline compare` measures models on your machine and your pictures. The first row is the built-in detector, which needs \
            no --model.

            In JSON, a model is {"name", "task", "summary", "publisher", "license", "address", "byteCount", "sha256", \
            "labelCount", "labels", "input": {"width", "height"}, "measured": {"ap", "milliseconds", "pictures", "processor"}, \
            "path", "installedFrom", "isInstalledFileVerified"}, without what is not known.
            """
    )

    @OptionGroup var list: ListOptions

    func run() throws {
        let (catalog, measurements) = try reporting { (try ModelCatalog.bundled(), try ModelMeasurements.bundled()) }
        let store = ModelStore.ofUser()
        // An installation without its models still lists what it can install.
        let builtIn = try? ModelDescription(builtInDetector: measurements)
        let others = store.installed().filter { catalog[$0.name] == nil }
        let models =
            catalog.entries.map { ModelDescription($0, measurements, installed: store[$0.name]) }
            + others.map { ModelDescription($0) }
        try list.format.print(models) {
            let rows = ([builtIn].compactMap { $0 } + models).map(\.row)
            return TextTable(columns: ModelDescription.columns, rows: rows).text + """

                AP on \(measurements.pictures); MS on one thread of \(measurements.processor), the fastest of \
                \(measurements.runs) runs.

                """
        }
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
            If a download breaks off, run the command again to continue it. A model is installed only if it is complete and \
            its SHA-256 matches.

            \(ModelsCommand.exitCodes)
            """
    )

    @Argument(help: "Names from the catalog; with --from or --mirror, any names.", completion: .model)
    var names: [String]

    @Option(
        help: "The model's file: an https address, an http address of this machine, or a path.",
        completion: .file()
    )
    var from: String?

    @Option(
        help:
            "A folder, or its address, that holds NAME/model.tflite, for example the models folder of another machine.",
        completion: .directory
    )
    var mirror: String?

    @Option(help: "The SHA-256 of the file (default: the catalog's value).")
    var sha256: String?

    @Flag(help: "Install a file from the network without a known SHA-256.")
    var acceptUnverified = false

    func validate() throws {
        if from != nil, mirror != nil { throw ValidationError("Give either --from or --mirror, not both.") }
        if names.count > 1, from != nil || sha256 != nil {
            throw ValidationError("--from and --sha256 belong to one model; install several one by one.")
        }
    }

    func run() throws {
        let store = ModelStore.ofUser()
        for name in names {
            let installed = try reporting {
                var progress = ProgressLine()
                defer { progress.clear() }
                return try store.install(try installation(of: name)) { received, expected in
                    progress.show { DownloadText.line(name, received: received, expected: expected) }
                }
            }
            StandardOutput.write("\(name): \(installed.model.path)\n")
            if installed.record?.isVerified == false, acceptUnverified {
                StandardError.report("\(name) was not verified; its SHA-256 is \(installed.record?.sha256 ?? "").")
            }
        }
    }

    private func installation(of name: String) throws -> Installation {
        let catalog = try ModelCatalog.bundled()
        let source = from.map { ModelSource.file($0) } ?? mirror.map { ModelSource.mirror($0) }
        var installation: Installation
        if let source, catalog[name] == nil {
            installation = Installation(name: name, source: source)
        } else {
            installation = Installation(try catalog.entry(named: name))
            if let source { installation.source = source }
        }
        if let sha256 {
            // A different file has a different length.
            if sha256.lowercased() != installation.sha256 { installation.byteCount = nil }
            installation.sha256 = sha256
        }
        // A SHA-256 guards against the network. A file that is here already is what it is.
        installation.acceptsUnverified = acceptUnverified || installation.source.isLocalFile
        return installation
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
        for name in names { try reporting { try store.remove(name) } }
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
        let path = try reporting { try name.map { try store.model(named: $0).model.path } ?? store.folder.path }
        StandardOutput.writeExactly(path + "\n")
    }
}
