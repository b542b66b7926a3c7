import ArgumentParser
import CommandLineSupport
import ModelCatalog

/// The origin of models, and whether they are verified.
struct InstallationArguments: ParsableArguments {
    @Option(
        help: "The model's file: an https address, an http address of this machine, or a path.",
        completion: .file()
    )
    var from: String?

    @Option(
        help:
            "A folder, or its address, that holds NAME/model.tflite (in a folder also NAME/model.onnx), for example the models folder of another machine.",
        completion: .directory
    )
    var mirror: String?

    @Option(help: "The SHA-256 of the file (default: the catalog's value).")
    var sha256: String?

    @Flag(help: "Install a file from the network without a known SHA-256.")
    var acceptUnverified = false

    /// Whether any option is given.
    var isUsed: Bool { from != nil || mirror != nil || sha256 != nil || acceptUnverified }

    func validate() throws {
        if from != nil, mirror != nil { throw ValidationError("Give either --from or --mirror, not both.") }
    }

    /// Installs a model and shows the progress.
    ///
    /// - Throws: an exit code after a message.
    func install(_ name: String, in store: ModelStore) throws -> InstalledModel {
        let installed = try reporting {
            var progress = ProgressLine()
            defer { progress.clear() }
            return try store.install(try installation(of: name)) { received, expected in
                progress.show { DownloadText.line(name, received: received, expected: expected) }
            }
        }
        if installed.record?.isVerified == false, acceptUnverified {
            StandardError.report("\(name) was not verified; its SHA-256 is \(installed.record?.sha256 ?? "").")
        }
        return installed
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
        // A SHA-256 guards against the network. A local file needs no check.
        installation.acceptsUnverified = acceptUnverified || installation.source.isLocalFile
        return installation
    }
}
