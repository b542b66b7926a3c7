import ArgumentParser
import CommandLineSupport
import Foundation

/// The hub on which a trained model is published, if any. The program `sightline-hub` does it, with its options of the same names.
struct PublishArguments: ParsableArguments {
    @Option(
        name: .customLong("publish"),
        help: ArgumentHelp(
            "Also publish the model on a hub by this name: letters, digits, underscores and hyphens.",
            discussion:
                "The variables of `sightline hub` count: without --hub and SIGHTLINE_HUB it is the hub of this machine.",
            valueName: "name"
        )
    )
    var name: String?

    @Flag(help: "Add the version without serving it.")
    var stage = false

    @Option(help: "The address of a hub on the network (or SIGHTLINE_HUB).")
    var hub: String?

    @Option(
        help: "A file with a token of that hub (or SIGHTLINE_HUB_TOKEN, with the token itself).",
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificates to trust in addition to the system's (or SIGHTLINE_HUB_TRUST).",
            valueName: "file"
        ),
        completion: .file()
    )
    var trust: String?

    @Option(help: "The hub's folder.", completion: .directory)
    var data: String?

    @Option(help: "The project, if the hub has several (or SIGHTLINE_HUB_PROJECT).")
    var project: String?

    /// The options of the hub's place, as words.
    private var place: [String] {
        [("hub", hub), ("token-file", tokenFile), ("trust", trust), ("data", data), ("project", project)]
            .compactMap { option, value in value.map { "--\(option)=\($0)" } }
    }

    func validate() throws {
        guard let name else {
            let used = stage ? "--stage" : place.first.map { String($0.prefix { $0 != "=" }) }
            if let used { throw ValidationError("\(used) belongs to --publish; also give --publish NAME.") }
            return
        }
        if hub != nil, data != nil { throw ValidationError("Give either --hub or --data, not both.") }
        guard name.utf8.count <= 32, name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]*/) != nil else {
            throw ValidationError(
                "\"\(name)\" cannot be the name of a model on a hub; use up to 32 letters, digits, underscores and hyphens, beginning "
                    + "with a letter."
            )
        }
    }

    private static let program = OtherProgram(name: "sightline-hub")

    /// Asks the hub for its models, before a training that takes longer.
    ///
    /// - Throws: an exit code after a message, if the hub cannot be reached or does not know the user.
    func check() async throws {
        guard let name else { return }
        let status = try await Self.program.run(
            ["list", "--filter", "displayName = \(name)", "--format", "json"] + place,
            output: .nowhere
        )
        guard status == 0 else {
            StandardError.report(
                "Nothing was trained, because the hub cannot be used; leave out --publish to train without it."
            )
            throw ExitStatus.failure.code
        }
    }

    /// Publishes a model, if a name is given.
    ///
    /// - Parameters:
    ///   - model: The model's file.
    ///   - output: The place to which the program writes the hub's version.
    /// - Throws: an exit code after a message with the way to publish without training again.
    func publish(_ model: URL, output: OtherProgram.Output) async throws {
        guard let name else { return }
        let path = model.relativePath
        // A path is not taken for an option.
        let file = path.hasPrefix("-") ? "./\(path)" : path
        let sidecar = model.deletingPathExtension().appendingPathExtension("sightline.json")
        if FileManager.default.fileExists(atPath: sidecar.path(percentEncoded: false)) {
            StandardError.report(
                "Clients of a hub receive model.tflite without \(sidecar.lastPathComponent), so they crop pictures where the start of this "
                    + "training fits them in another way; begin with another --start, or give clients that file."
            )
        }
        let arguments = ["publish", name, file] + (stage ? ["--stage"] : []) + place
        guard try await Self.program.run(arguments, output: output) != 0 else { return }
        StandardError.report(
            "The model is complete, but was not published. Publish it without training again: sightline hub "
                + arguments.map(Self.shellWord).joined(separator: " ")
        )
        throw ExitStatus.failure.code
    }

    /// A word as a shell takes it.
    private static func shellWord(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9_.,:=@%+\/-]+/) != nil ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
