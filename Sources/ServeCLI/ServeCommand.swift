import ArgumentParser
import CommandLineSupport
import Foundation
import HTTPServing
import Logging
import ModelHub
import Sightline
import SightlineServer

@main
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline serve",
        abstract: "Answer over HTTP which objects are in pictures.",
        discussion: """
            POST a picture to /v1/detect or /v1/label; the answer is the JSON of `sightline detect` and `sightline label`, with the \
            model's name and version. /openapi.json describes the API, and the page at / tries it.

            Without --model, the detector that `sightline models use` chose and the built-in labeler answer, otherwise the built-in models. A model of a hub is followed: a new version takes the place of the earlier \
            one between two requests, without a restart. On SIGTERM and Ctrl-C, the server finishes open requests and stops. Logs \
            are lines of JSON on standard error.

            Examples:
              sightline serve
              sightline serve --model yolox-nano-ti-lite --model plants.tflite --port 9000
              sightline serve --model hub:plants --hub hub.json --host 0.0.0.0 \\
                --token-file token
              sightline serve --model hub:plants --shadow hub:plants@staging --sample 5% \\
                --hub hub.json
              curl --data-binary @photo.jpg 'http://127.0.0.1:8080/v1/detect?threshold=0.4'

            \(ExitStatus.help(success: "the server stopped on request", failure: "the server cannot serve"))
            """,
        version: SightlineVersion.current
    )

    @OptionGroup var options: ServeOptions

    /// Runs the command of this process.
    static func main() async {
        MachineLimits.check(files: 64)
        ProcessArguments.require()
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == CompletionRoot.option { return CompletionRoot.printScript(shell: words.dropFirst().first) }
        do {
            // Not a subcommand: the usage of the server would name it.
            let isFetch = words.first == FetchCommand.configuration.commandName
            let command =
                isFetch
                ? try await FetchCommand.asyncParseAsRoot(Array(words.dropFirst())) : try await asyncParseAsRoot(words)
            if var command = command as? any AsyncParsableCommand { return try await command.run() }
            var other = command
            try other.run()
        } catch {
            end(with: error, of: words)
        }
    }

    func run() async throws {
        try await reporting {
            let metrics = AnswerMetrics(
                logger: Logger(label: "sightline-serve") { _ in JSONLogHandler(level: options.logLevel.level) }
            )
            let limits = options.serviceOptions
            let sources = try options.sources
            let shadows = try shadows(of: sources, metrics)
            // The runtime library prints a line about its kernels.
            let table = try withStandardErrorSilenced { try ModelTable(sources, for: limits) }
            let service = AnswerService(
                models: table,
                options: limits,
                fetchingFrom: AllowedHosts(options.allowURLHost) ?? AllowedHosts(),
                metrics: metrics,
                shadows: Shadows(shadows.all.map(\.shadow), kept: shadows.kept, sender: try options.pictureSender())
            )
            let server = AnswerServer(
                service,
                options: options.connectionOptions,
                token: try options.token,
                followers: try followers(of: sources, for: service)
                    + shadows.all.map { ShadowFollower(of: $0.shadow, $0.text, by: shadows.manager, for: service) }
            )
            let scheme = options.certificates == nil ? "http" : "https"
            try await server.run { port in
                print(
                    "Serving at \(scheme)://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(port)"
                )
                fflush(nil)
            }
        }
    }

    private struct ChosenShadows {
        var all: [(shadow: ServedShadow, text: String)] = []
        var kept: KeptPictures?
        var manager: ModelManager?
    }

    private func shadows(of sources: [ModelSource], _ metrics: AnswerMetrics) throws -> ChosenShadows {
        let pairs = try ShadowPair.pairs(options.shadow, of: sources)
        guard !pairs.isEmpty else { return ChosenShadows() }
        let manager = try options.hubFile.map {
            ModelManager(configuration: try ModelHubConfiguration(contentsOf: URL(filePath: $0)))
        }
        let reporter = manager.map { OutcomeReporter(manager: $0) }
        let kept = try options.keptPictures()
        let all = pairs.enumerated().map { index, pair in
            let seed = options.sampleSeed.map { $0 &+ UInt64(index) }
            let shadow = ServedShadow(
                of: pair.served.name,
                source: pair.text,
                sample: SampledShare(options.sample.value, seed: seed),
                metrics: metrics,
                reporter: pair.isOfOneModel ? reporter : nil,
                kept: kept
            )
            return (shadow, pair.text)
        }
        return ChosenShadows(all: all, kept: kept, manager: manager)
    }

    private func followers(of sources: [ModelSource], for service: AnswerService) throws -> [HubFollower] {
        guard let hub = options.hubFile else { return [] }
        let manager = ModelManager(configuration: try ModelHubConfiguration(contentsOf: URL(filePath: hub)))
        return sources.compactMap { source in
            guard case .hub(let model) = source else { return nil }
            return HubFollower(of: model, by: manager, for: service)
        }
    }
}
