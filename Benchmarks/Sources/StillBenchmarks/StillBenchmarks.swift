import ArgumentParser
import Foundation

/// Measures still pictures: the floor, Sightline and its peers in interleaved rounds of one run.
@main
struct StillBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "still-benchmarks",
        abstract: "Measures still pictures: the floor, Sightline and its peers in interleaved rounds of one run."
    )

    @Option(help: "The folder of real models and photos (or SIGHTLINE_TEST_DATA).")
    var data: String?
    @Option(help: "The folder that pictures.py filled.")
    var pictures: String
    @Option(help: "The Python that has the packages of requirements.txt.")
    var python = "python3"
    @Option(help: "The scripts of the peers, separated by commas; empty for none.")
    var peers = "litert_pillow,litert_simplejpeg,litert_opencv"
    @Option(help: "A YOLO model that Ultralytics exported, for a row of its own.")
    var yolo: String?
    @Option(help: "Only benchmarks whose name contains this.")
    var only: String?
    @Option(help: "Rounds.")
    var rounds = 10
    @Option(help: "Counted calls of each contender in a round.")
    var calls = 5
    @Flag(help: "Measure processor time, which other programs hardly lengthen.")
    var processorTime = false
    @Option(help: "Write the results to this file as JSON.")
    var json: String?

    mutating func validate() throws {
        guard rounds > 0, calls > 0 else { throw ValidationError("--rounds and --calls must be at least 1") }
    }

    func run() async throws {
        guard let data = data ?? ProcessInfo.processInfo.environment["SIGHTLINE_TEST_DATA"] else {
            throw ValidationError("say where the real data lies, with --data or SIGHTLINE_TEST_DATA")
        }
        let models = URL(filePath: data).appending(path: "models")
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "peers")
        let peerScripts = peers.split(separator: ",").map { scripts.appending(path: "\($0).py") }

        let clock = processorTime ? Clock.processor : .wall
        var report = Report()
        print(Report.heading)
        for benchmark in Benchmark.all(yolo: yolo) where only.map(benchmark.name.contains) ?? true {
            let folder = URL(filePath: pictures)
            let sightlines = try [false, true].map {
                try SightlineContender(benchmark, models: models, pictures: folder, optimizesModels: $0)
            }
            // Sightline's findings decide how often the floor of a two-stage row runs the second model.
            _ = try sightlines[0].measure(clock)
            let floor = try Floor(models: floorModels(benchmark, objects: sightlines[0].objectCount, in: models))
            var others: [Peer] = []
            for script in peerScripts {
                let peer = Peer(script, python: python, benchmark: benchmark, models: models, pictures: folder)
                if try await answers(peer, to: benchmark) { others.append(peer) }
            }
            let measurements = try await measure(
                [floor] + sightlines + others,
                rounds: rounds,
                calls: calls,
                clock: clock
            )
            print(report.add(benchmark, measurements))
        }
        if let json { try report.json().write(to: URL(filePath: json)) }
    }

    /// Lets a peer answer once; false, with a note, if it cannot do this row.
    private func answers(_ peer: Peer, to benchmark: Benchmark) async throws -> Bool {
        do {
            _ = try await peer.measure(.wall)
            return true
        } catch let error as Peer.PeerError {
            FileHandle.standardError.write(Data("\(benchmark.name): \(error)\n".utf8))
            return false
        }
    }

    private func floorModels(_ benchmark: Benchmark, objects: Int, in models: URL) -> [URL] {
        switch benchmark.task {
        case .label(let model, _), .detect(let model):
            [models.model(model)]
        case .detectAndClassify(let model, let classifier, _):
            [models.model(model)]
                + Array(repeating: models.model(classifier), count: objects)
        }
    }
}
