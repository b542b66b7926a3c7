import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import ModelHubProtocol
import ModelHubServer

struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a version of a model, so that apps can trust it without trusting the hub.",
        discussion: """
            Apps with trusted keys install a version only if one of these keys signed its manifest: name, alias, version, size, SHA-256, \
            threshold and validity. `sightline hub key create --signing` makes keys.

            With a key that it keeps, the hub signs automatically all that clients can ask for, and renews it in time; this command signs again, or \
            ahead of time. With --key-file, the key stays on this machine, and the hub gets only the signature. Then name the file of the \
            model, or its SHA-256: the key signs only these bytes, independent of the hub. Sign before you promote, and sign again \
            to go back to an earlier version.

            With --manifest no hub is contacted: the command signs a file that `sightline hub manifest prepare` wrote elsewhere.

            Examples:
              sightline hub sign plants
              sightline hub sign plants --version 3 --key-file plants.pem \\
                --file model.tflite
              sightline hub sign --manifest plants.manifest --key-file plants.pem \\
                --file model.tflite > plants.signed

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String?
    @OptionGroup var alias: AliasOption
    @Option(help: "The version (default: the version that the alias names).")
    var version: Int?
    @Option(help: "The key that the hub keeps: its name, or the beginning of its id (default: the oldest).")
    var key: String?
    @Option(help: "The file with the private part of a key that is kept outside of the hub.", completion: .file())
    var keyFile: String?
    @Option(help: "The model's file, whose bytes the key of --key-file signs.", completion: .file())
    var file: String?
    @Option(help: "The SHA-256 of the model's file, in place of --file.")
    var sha256: String?
    @Option(
        help: "The validity, such as 90d (default: 180d with --key-file, otherwise 30d).",
        transform: Lifetime.init
    )
    var expires: Lifetime?
    @Option(help: "A prepared manifest to sign without a hub.", completion: .file())
    var manifest: String?

    func validate() throws {
        if (name == nil) == (manifest == nil) {
            throw ValidationError("Give either the name of a model or --manifest.")
        }
        if manifest != nil, keyFile == nil { throw ValidationError("--manifest needs --key-file.") }
        if keyFile != nil, key != nil { throw ValidationError("Give either --key or --key-file, not both.") }
        if (keyFile == nil) != (file == nil && sha256 == nil) || (file != nil && sha256 != nil) {
            throw ValidationError(
                "--key-file needs the model's file (--file) or its SHA-256 (--sha256): the key signs the file that you name, not the hub's."
            )
        }
        if let sha256, !SHA256.isHexadecimalDigest(sha256.lowercased()) {
            throw ValidationError("--sha256 has 64 hexadecimal digits.")
        }
        if expires?.ttl == "0s" { throw ValidationError("A signature has an end: give a time such as 90d.") }
    }

    func run() async throws {
        let (line, note) = try await reporting { try await sign() }
        if let note { StandardError.report("note: \(note)") }
        StandardOutput.writeExactly(line)
    }

    /// Signs; returns the output and a note.
    private func sign() async throws -> (String, String?) {
        guard let keyFile else {
            let plan = ManifestPlan(alias: alias.alias, version: version, key: key, ttl: expires?.ttl)
            let manifest = try await location.connect().signManifest(plan, of: name ?? "")
            return ("\(manifest.signedText)\n", nil)
        }
        let signer = try signer(keyFile)
        if let manifest {
            let text = try PrivateFile.text(manifest, upTo: SignedManifest.maximumByteCount)
            let result = try signer.sign(text)
            return (String(decoding: result.signed.data, as: UTF8.self), "signed: \(result.manifest.summary)")
        }
        let connection = try await location.connect()
        let plan = ManifestPlan(alias: alias.alias, version: version, key: signer.key.id, ttl: nil)
        let result = try signer.sign(try await connection.preparedManifest(plan, of: name ?? ""))
        try check(result.manifest)
        try await connection.addManifest(String(decoding: result.signed.data, as: UTF8.self), to: name ?? "")
        return ("\(result.manifest.signedText)\n", "signed: \(result.manifest.summary)")
    }

    private func signer(_ keyFile: String) throws -> OfflineSigner {
        let key = try PrivateFile.signingKey(keyFile)
        let lifetime = expires.flatMap { Int64($0.ttl.dropLast()) }
        guard let file else {
            let hash = sha256?.lowercased() ?? ""
            return OfflineSigner(key: key, hash: hash, byteCount: nil, labels: nil, lifetime: lifetime)
        }
        let model = try PrivateFile.model(file)
        return OfflineSigner(
            key: key,
            hash: model.hash,
            byteCount: model.byteCount,
            labels: model.labels,
            lifetime: lifetime
        )
    }

    /// Refuses a manifest that a hub gave for another model than the command names.
    private func check(_ manifest: ModelManifest) throws(CommandError) {
        let isID = name?.utf8.allSatisfy { (48...57).contains($0) } == true
        guard isID || manifest.name == name, manifest.alias == alias.alias,
            version ?? manifest.version == manifest.version
        else {
            throw CommandError(
                "The hub gave a manifest of something else (\(manifest.summary)); nothing was signed, so check the hub."
            )
        }
    }
}
