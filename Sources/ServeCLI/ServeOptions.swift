import ArgumentParser
import CommandLineSupport
import Foundation
import HTTPServing
import Logging
import ModelHub
import Sightline
import SightlineServer

/// The options of the server.
struct ServeOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            Serve this model: a .tflite or .onnx file, an archive or folder, the name of an installed model, built-in for the built-in models, or hub:NAME or hub:NAME@ALIAS for a \
            model of the hub of --hub. Repeat it for several; the first of its kind answers requests that name none (default: the detector that `sightline models use` chose, otherwise \
            the built-in one, and the built-in labeler).
            """,
            valueName: "model"
        ),
        completion: .file()
    )
    var model: [String] = []

    @Option(
        help: """
            A JSON file with "hub", "projectID" and "apiKey", or a GoogleService-Info.plist with MODEL_HUB_URL, for models of a hub (or \
            \(HubFile.variable)).
            """,
        completion: .file()
    )
    var hub: String?

    @Option(
        help: ArgumentHelp(
            """
            Let this model answer a share of a model's requests again, after the client has its answer, and count how often they differ: \
            hub:NAME@ALIAS for another version of the model NAME of the hub, or MODEL=SHADOW for the model of that name in \
            /v1/models. Nobody sees these answers. May be repeated, once for each model.
            """,
            valueName: "shadow"
        ),
        completion: .file()
    )
    var shadow: [String] = []
    @Option(help: "The share of requests that shadows answer again, such as 5% or .05.")
    var sample = ShareArgument(value: 0.05)
    @Option(help: "The seed by which these requests are drawn (default: another one at each start).")
    var sampleSeed: UInt64?
    @Option(
        help: """
            Keep this many pictures that a model and its shadow answer most differently, in a folder of this machine (default: none).
            """
    )
    var keepDifferent: Int?
    @Option(
        help: "The folder for these pictures (default: sightline/serve/different in the user's folder for data).",
        completion: .directory
    )
    var keepFolder: String?
    @Option(
        help: """
            A file with a publisher's token of the hub, with which the page adds these pictures to a data set (default: the page shows \
            the command).
            """,
        completion: .file()
    )
    var keepTokenFile: String?
    @Option(help: "The largest size of that folder's pictures in MiB.")
    var keepSize = 256
    @Option(help: "The days for which a picture is kept.")
    var keepDays = 7

    @Option(help: "The address to listen at.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 for any free one.")
    var port = 8080
    @Option(help: "A PEM file with the certificate and its chain.", completion: .file())
    var certificates: String?
    @Option(help: "A PEM file with the certificate's private key.", completion: .file())
    var key: String?
    @Option(help: "A file with the bearer token that requests need.", completion: .file())
    var tokenFile: String?
    @Flag(help: "Trust X-Forwarded-For, -Proto and -Host. Use this only behind a proxy that sets them.")
    var trustProxy = false
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            """
            Also answer requests to this name. A server on 127.0.0.1 without a token otherwise answers to localhost and addresses of \
            this machine only, so that no web page reaches it by its own name. May be repeated.
            """,
            valueName: "name"
        )
    )
    var allowHost: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            """
            Read pictures from this host if a request names their address: a name, which may be in a private network, NAME:PORT for one \
            of its ports, or *.example.org or * for hosts with public addresses. May be repeated.
            """,
            valueName: "host"
        )
    )
    var allowURLHost: [String] = []

    @Option(help: "Pictures that are analyzed at the same time (default: one more than there are cores).")
    var workers: Int?
    @Flag(
        inversion: .prefixedNo,
        help: """
            Rewrite models so that they run faster, if possible; answers may differ a little from those of `sightline detect`.
            """
    )
    var optimize = true
    @Option(help: "Pictures that may wait for a worker; beyond that, requests get 503.")
    var queue = AnswerService.Options().waitingPictures
    @Option(help: "The longest time for a picture, in seconds.")
    var timeout = 30
    @Option(help: "The largest picture in MiB.")
    var maxPictureSize = AnswerService.Options().pictures.maximumBytes >> 20
    @Option(help: "The largest picture in millions of pixels.")
    var maxMegapixels = AnswerService.Options().pictures.maximumPixels / 1_000_000
    @Option(help: "The log level: trace, debug (every request), info (models), warning, error.")
    var logLevel = LogLevel.info

    func validate() throws {
        if (certificates == nil) != (key == nil) {
            throw ValidationError("Give both --certificates and --key, or neither.")
        }
        func check(_ value: Int?, _ range: ClosedRange<Int>, _ name: String) throws {
            guard let value, !range.contains(value) else { return }
            throw ValidationError("--\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound).")
        }
        try check(port, 0...65_535, "port")
        try check(workers, 1...256, "workers")
        try check(queue, 1...100_000, "queue")
        try check(timeout, 1...3600, "timeout")
        try check(maxPictureSize, 1...256, "max-picture-size")
        try check(maxMegapixels, 1...1000, "max-megapixels")
        try check(keepDifferent, 1...100_000, "keep-different")
        try check(keepSize, 1...1_000_000, "keep-size")
        try check(keepDays, 1...3650, "keep-days")
        if keepDifferent != nil, shadow.isEmpty {
            throw ValidationError(
                "--keep-different keeps pictures that a shadow answers differently; name one with --shadow."
            )
        }
        if keepTokenFile != nil, keepDifferent == nil || hubFile == nil {
            throw ValidationError("--keep-token-file needs --keep-different and --hub.")
        }
        if AllowedHosts(allowURLHost) == nil {
            throw ValidationError("--allow-url-host takes names of hosts, NAME:PORT, *.example.org or *.")
        }
        if let name = allowHost.first(where: { !LoopbackNames.isName($0) }) {
            throw ValidationError(
                "--allow-host is \(name); it must be the name of a host without a port, such as nas.local."
            )
        }
        if (model + shadow).contains(where: { $0.hasPrefix(HubFile.prefix) || $0.contains("=\(HubFile.prefix)") }),
            hubFile == nil
        {
            throw ValidationError("A model of a hub needs --hub, a file with the hub's address and a key.")
        }
    }

    /// The path of the file about the hub; nil if there is none.
    var hubFile: String? { HubFile.path(hub, environment: ProcessInfo.processInfo.environment) }

    /// The limits of the service.
    var serviceOptions: AnswerService.Options {
        var options = AnswerService.Options()
        if let workers { options.workers = workers }
        options.optimizesModels = optimize
        options.waitingPictures = queue
        options.timeout = .seconds(timeout)
        options.pictures = ImageLimits(
            maximumPixels: maxMegapixels * 1_000_000,
            maximumBytes: maxPictureSize << 20
        )
        options.bodyBytes = max(options.bodyBytes, 4 * options.pictures.maximumBytes)
        return options
    }

    /// The address and the limits of connections.
    var connectionOptions: HTTPService.Options {
        var options = HTTPService.Options()
        (options.host, options.port, options.trustsProxy) = (host, port, trustProxy)
        options.names = allowHost
        options.tls = certificates.flatMap { file in key.map { .init(certificates: file, key: $0) } }
        return options
    }

    /// The models to serve.
    ///
    /// - Throws: as `ModelSource.sources(named:)` does.
    var sources: [ModelSource] { get throws { try ModelSource.sources(named: model) } }

    /// The folder of pictures that differ; nil if none are kept.
    ///
    /// - Throws: `KeptPictures.Failure`.
    func keptPictures() throws -> KeptPictures? {
        try keepDifferent.map { count in
            try KeptPictures(
                folder: keepFolder.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? KeptPictures.usualFolder(),
                limits: KeptPictures.Limits(
                    count: count,
                    bytes: keepSize << 20,
                    age: .seconds(keepDays * 24 * 3600)
                )
            )
        }
    }

    /// Adds kept pictures to data sets; nil without a token.
    ///
    /// - Throws: `InputError`, or the errors of the file about the hub.
    func pictureSender() throws -> KeptPictureSender? {
        guard let keepTokenFile, let hubFile else { return nil }
        let token = try? String(contentsOfFile: keepTokenFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token, !token.isEmpty else {
            throw InputError(
                reason: """
                    The file \(keepTokenFile) cannot be read, or is empty; write a token of the hub into it, as \
                    `sightline hub token create --role publisher` prints it.
                    """
            )
        }
        return KeptPictureSender(try ModelHubConfiguration(contentsOf: URL(filePath: hubFile)), token: token)
    }

    /// The token that requests need; nil if everybody may ask.
    ///
    /// - Throws: `InputError`.
    var token: Secret? { get throws { try tokenFile.map { try Self.token(inFile: $0) } } }

    /// Reads the token in a file, without the line feed.
    private static func token(inFile path: String) throws -> Secret {
        let token = try? String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token, token.utf8.count >= 16 else {
            throw InputError(
                reason: """
                    The file \(path) cannot be read, or its token has fewer than 16 characters; write one with \
                    `openssl rand -hex 32 > \(path)`.
                    """
            )
        }
        return Secret(token)
    }
}

/// The least important lines in the log.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
