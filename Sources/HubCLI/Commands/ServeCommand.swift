import ArgumentParser
import CommandLineSupport
import Foundation
import HTTPServing
import Logging
import ModelCatalog
import ModelHubServer
import ProcessSandbox

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the hub over HTTP or HTTPS.",
        discussion: """
            Without --certificates, the hub serves plain HTTP, for loopback or behind a proxy that adds TLS. On SIGTERM and \
            Ctrl-C, it finishes open requests and stops. Logs are lines of JSON on standard error.

            One address may have 128 connections, unless --trust-proxy is given. After 50 wrong tokens, keys or signatures, the \
            hub refuses wrong ones of an address for a while. IPv6 clients count by their /64.

            Examples:
              sightline hub serve
              sightline hub serve --data /var/lib/sightline-hub --host 0.0.0.0 --port 443 \\
                --certificates fullchain.pem --key privkey.pem
              sightline hub serve --trust-proxy --public-address https://models.example.org
              PGPASSWORD=... sightline hub serve \\
                --database postgres://hub@db.example.org/hub \\
                --blobs s3://models/hub --cache /var/cache/sightline-hub --cache-size 50

            \(ExitStatus.help(success: "the hub stopped on request", failure: "the hub cannot serve"))
            """
    )

    @OptionGroup var location: DataOption
    @Option(
        help: "The folder for copies of files in a bucket (default: cache in the hub's folder). Each hub has its own.",
        completion: .directory
    )
    var cache: String?
    @Option(help: "The largest size of those copies in GiB.")
    var cacheSize = 10
    @Option(help: "The address to listen at.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 for any free one.")
    var port = 8080
    @Option(help: "A PEM file with the certificate and its chain.", completion: .file())
    var certificates: String?
    @Option(help: "A PEM file with the certificate's private key.", completion: .file())
    var key: String?
    @Option(help: "The address that clients use (default: the address in their Host header).")
    var publicAddress: String?
    @Flag(help: "Trust X-Forwarded-For, -Proto and -Host. Use this only behind a proxy that sets them.")
    var trustProxy = false
    @Option(help: "Requests per second from one address, with bursts of four times as many; 0 for no limit.")
    var rateLimit = 200.0
    @Option(help: "The number of open connections. Three quarters of them may wait for live updates.")
    var maxConnections = 2048
    @Option(
        help:
            "A file with the bearer token for /metrics. Without it, only programs on this machine can read the metrics.",
        completion: .file()
    )
    var metricsTokenFile: String?
    @OptionGroup(title: "Sign-in with OpenID Connect") var openID: OpenIDOptions
    @Option(help: "The largest model in MiB.")
    var maxModelSize = 512
    @Option(help: "How long a download address is valid, in minutes.")
    var addressLifetime = 60
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Let webhooks go to this host, which may be in a private network. Others need public addresses. May be repeated.",
            valueName: "host"
        )
    )
    var webhookHost: [String] = []
    @Option(
        help: ArgumentHelp(
            "The classifier whose network trainings use, a file (default: mobilenet-v2 if it is installed, otherwise the built-in network).",
            discussion:
                "Without it, trained models are usually 8 points worse: `sightline models install mobilenet-v2`.",
            valueName: "file"
        ),
        completion: .file()
    )
    var trainFrom: String?
    @Option(help: "The log level: trace, debug (every request), info (changes), warning, error.")
    var logLevel = Logger.Level.info

    func validate() throws {
        if (certificates == nil) != (key == nil) {
            throw ValidationError("Give both --certificates and --key, or neither.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number up to 65535.") }
        guard (1...2048).contains(maxModelSize) else { throw ValidationError("--max-model-size is 1 to 2048 MiB.") }
        guard (1...720).contains(addressLifetime) else {
            throw ValidationError("--address-lifetime is 1 to 720 minutes.")
        }
        guard (16...1_000_000).contains(maxConnections) else {
            throw ValidationError("--max-connections is 16 to 1000000.")
        }
        guard (1...1_000_000).contains(cacheSize) else {
            throw ValidationError("--cache-size is 1 to 1000000 GiB.")
        }
        guard AllowedHosts(webhookHost) != nil else {
            throw ValidationError("--webhook-host takes names of hosts, or *.example.org.")
        }
        guard rateLimit >= 0 else { throw ValidationError("--rate-limit is 0 or more.") }
    }

    func run() async throws {
        try await reporting {
            var hubOptions = Hub.Options()
            hubOptions.maximumModelSize = maxModelSize << 20
            hubOptions.addressLifetime = .seconds(addressLifetime * 60)
            hubOptions.webhookHosts = AllowedHosts(["*"] + webhookHost) ?? hubOptions.webhookHosts
            hubOptions.openID = try openID.settings(publicAddress: publicAddress)
            hubOptions.trainingStart = try Self.trainingStart(trainFrom)
            var options = HTTPService.Options()
            options.host = host
            options.port = port
            options.tls = certificates.flatMap { file in key.map { .init(certificates: file, key: $0) } }
            options.publicAddress = publicAddress.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            options.trustsProxy = trustProxy
            options.rateLimit = rateLimit == 0 ? nil : rateLimit
            options.maximumConnections = maxConnections
            options.metricsToken = try metricsTokenFile.map { Secret(try Self.token(inFile: $0)) }
            let logger = HubServer.makeLogger(level: logLevel)
            let cache = HubFiles.Cache(
                folder: cache.map { URL(filePath: $0) } ?? location.folder.appending(path: "cache"),
                byteLimit: cacheSize << 30
            )
            let hub = try await location.openHub(options: hubOptions, cache: cache)
            // This starts a process, for which requests need not wait.
            async let _: Void = Self.warnUnlessReady(hub, logger)
            let missing = ProcessSandbox.missingProtections.map(\.rawValue)
            if !missing.isEmpty {
                logger.warning(
                    "Processes that read uploaded models and pictures are not fully confined: the kernel has no protection of \(missing.joined(separator: " and of ")). Use a newer Linux."
                )
            }
            let scheme = options.tls == nil ? "http" : "https"
            let place = ServingAddress(in: location.folder)
            defer { place.end() }
            try await HubServer(hub, options: options, logger: logger).run {
                [publicAddress = options.publicAddress] port in
                do {
                    try await place.begin(publicAddress ?? ServingAddress.local(scheme, host, port))
                } catch {
                    logger.warning(
                        "commands on this machine cannot learn the address",
                        metadata: ["reason": "\(error)"]
                    )
                }
                logger.info(
                    "serving",
                    metadata: [
                        "address": "\(scheme)://\(host):\(port)", "data": "\(location.folder.path)",
                        "metrics": "\(metricsTokenFile == nil ? "for this machine" : "with a token")",
                    ]
                )
            }
        }
    }

    private static func warnUnlessReady(_ hub: Hub, _ logger: Logger) async {
        if let problem = await hub.readinessProblem() { logger.warning("\(problem)") }
    }

    /// The classifier with a path, or the usual one of the catalog if it is installed.
    private static func trainingStart(_ path: String?) throws -> TrainingStart? {
        if let path {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandError("\(path) cannot be read; check the path of --train-from and its permissions.")
            }
            return TrainingStart(path: path, name: URL(filePath: path).lastPathComponent, license: nil)
        }
        let name = "mobilenet-v2"
        guard let installed = ModelStore.ofUser()[name] else { return nil }
        let license = (try? ModelCatalog.bundled())?[name]?.license
        return TrainingStart(path: installed.model.path, name: name, license: license)
    }

    /// Reads the token in a file, without the line feed.
    private static func token(inFile path: String) throws -> String {
        let token = try? String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token, token.utf8.count >= 16 else {
            throw HubError(
                .invalidArgument,
                "The file \(path) cannot be read, or its token has fewer than 16 characters; write one with "
                    + "`openssl rand -hex 32 > \(path)`."
            )
        }
        return token
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
