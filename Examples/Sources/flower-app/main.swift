// Many installations of an app that labels flowers. Each fetches the name of its model from the hub, downloads the model,
// labels some pictures with it, and reports to the hub how often its user agreed and how long it took. `Examples/ab-test`
// runs this program.
//
//     flower-app HUB.json MODEL [INSTALLATIONS]

import Foundation
import ModelHub
import Sightline

/// A picture with a single color, by which the models of the example recognize flowers.
func picture(of flower: Int) throws -> VisionImage {
    let pixel: [UInt8] = (0..<3).map { $0 == flower ? 200 : 40 }
    let data = Data((0..<16 * 16).flatMap { _ in pixel })
    return VisionImage(
        pixels: try PixelBuffer(format: .rgb, width: 16, height: 16, planes: [.init(data: data, bytesPerRow: 48)])
    )
}

/// Runs an installation of the app from its start to its end; returns the model that it used.
func run(_ configuration: ModelHubConfiguration, bundled: LocalModel, folder: URL) async throws -> String {
    let manager = ModelManager(configuration: configuration, folder: folder)
    let config = RemoteConfig(manager: manager)
    try await config.fetchAndActivate()
    let labeler = try await ModelSwitch(
        parameter: "flower_model",
        of: config,
        from: manager,
        otherwise: bundled
    ) { model in
        try ImageLabeler(options: ImageLabelerOptions(model: model))
    }
    try await labeler.update()

    let reporter = OutcomeReporter(manager: manager)
    let flowers = ["poppy", "clover", "cornflower"]
    for _ in 0..<6 {
        let flower = Int.random(in: 0..<3)
        let current = labeler.current
        let start = ContinuousClock.now
        let label = try await current.engine.labels(in: try picture(of: flower)).first?.text
        let duration = ContinuousClock.now - start
        // Users also make mistakes.
        let agrees = (label == flowers[flower]) == (Double.random(in: 0...1) < 0.95)
        if let assignment = current.assignment, let name = current.name {
            await reporter.record(assignment, model: name, latency: duration, scores: ["agreed": agrees ? 1 : 0])
        }
    }
    try await reporter.send()
    return labeler.current.name ?? "bundled"
}

let arguments = CommandLine.arguments.dropFirst()
guard let file = arguments.first, let model = arguments.dropFirst().first else {
    print("Examples/ab-test runs this program against a hub.")
    exit(0)
}

let folder = FileManager.default.temporaryDirectory.appending(path: "flower-app-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let configuration = try ModelHubConfiguration(contentsOf: URL(filePath: file))
let count = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 100
var models: [String: Int] = [:]
for number in 0..<count {
    let name = try await run(
        configuration,
        bundled: LocalModel(url: URL(filePath: model)),
        folder: folder.appending(path: "\(number)")
    )
    models[name, default: 0] += 1
}
print(models.sorted { $0.key < $1.key }.map { "\($0.value) installations used \($0.key)" }.joined(separator: ", "))

// Prints:
// Examples/ab-test runs this program against a hub.
