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
              sightline models install birds --from https://example.org/birds.tflite --sha256 HASH
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
        abstract: "List the models of the catalog and the installed models."
    )

    @OptionGroup var list: ListOptions

    func run() throws {
        let (catalog, store) = try reporting { (try ModelCatalog.bundled(), ModelStore.ofUser()) }
        let others = store.installed().filter { catalog[$0.name] == nil }
        let models = catalog.entries.map { ModelDescription($0, installed: store[$0.name]) }
        try list.format.print(models + others.map { ModelDescription($0) }) {
            let rows =
                catalog.entries.map { entry in
                    [
                        entry.name, entry.task.command, NumberText.bytes(entry.byteCount), entry.license,
                        store[entry.name] == nil ? (entry.sha256 == nil ? "no, unverified" : "no") : "yes",
                    ]
                }
                + others.map { [$0.name, "–", NumberText.bytes($0.record?.byteCount), "–", "yes"] }
            return TextTable(
                columns: [.text("NAME"), .text("FOR"), .number("SIZE"), .text("LICENSE"), .text("INSTALLED")],
                rows: rows
            ).text
        }
    }
}

struct ModelsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the description of a model of the catalog or of an installed model."
    )

    @Argument(help: "The model's name.", completion: .custom { _, _, _ in modelNames() })
    var name: String

    @Option(help: "How to print the description.")
    var format = OutputFormat.table

    func run() throws {
        let description = try reporting {
            let store = ModelStore.ofUser()
            let catalog = try ModelCatalog.bundled()
            if let entry = catalog[name] { return ModelDescription(entry, installed: store[name]) }
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

    @Argument(help: "Names from the catalog; with --from or --mirror, any names.")
    var names: [String]

    @Option(help: "The model's file: an https address, an http address of this machine, or a path.")
    var from: String?

    @Option(
        help:
            "A folder, or its address, that holds NAME/model.tflite, for example the models folder of another machine."
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

    @Argument(help: "The models' names.", completion: .custom { _, _, _ in installedNames() })
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

    @Argument(help: "The model's name.", completion: .custom { _, _, _ in installedNames() })
    var name: String?

    func run() throws {
        let store = ModelStore.ofUser()
        let path = try reporting { try name.map { try store.model(named: $0).model.path } ?? store.folder.path }
        StandardOutput.write(path + "\n")
    }
}

private func installedNames() -> [String] { ModelStore.ofUser().installed().map(\.name) }

private func modelNames() -> [String] {
    installedNames() + ((try? ModelCatalog.bundled())?.entries.map(\.name) ?? [])
}
