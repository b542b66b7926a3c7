import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHub
import SightlineServer

/// Downloads the published version of a model of a hub for a command of `sightline`, with the client and the folder that serving uses.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Download a model of a hub for a command of `sightline`, and print its place as JSON."
    )

    @Argument(help: "hub:NAME or hub:NAME@ALIAS.")
    var model: String

    @Option(help: "A JSON file with the hub's address and a key.", completion: .file())
    var hub: String

    func run() async throws {
        let answer = await answer()
        StandardOutput.write(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self) + "\n")
    }

    /// The place of the model, or the reason why there is none.
    private func answer() async -> FetchedModel {
        do {
            guard case .hub(let model) = try ModelSource(model) else {
                return FetchedModel(message: "\(model) is not the name of a model of a hub; use hub:NAME.")
            }
            let manager = ModelManager(configuration: try ModelHubConfiguration(contentsOf: URL(filePath: hub)))
            do throws(DownloadError) {
                return FetchedModel(try await manager.download(model))
            } catch {
                // A hub that is away does not stop what worked yesterday; one that refuses does.
                guard error.mayPass, let there = manager.downloadedModel(for: model) else { throw error }
                var answer = FetchedModel(there)
                answer.message = "\(error) The version that was downloaded before is used."
                return answer
            }
        } catch {
            return FetchedModel(message: sentence(for: error))
        }
    }
}

extension FetchedModel {
    fileprivate init(_ model: DownloadedModel) {
        self.init(file: model.url.path, confidenceThreshold: model.confidenceThreshold)
    }
}

extension DownloadError {
    /// Whether the hub cannot be asked now, rather than refuses.
    fileprivate var mayPass: Bool {
        switch self {
        case .failedPrecondition, .resourceExhausted, .unavailable: true
        default: false
        }
    }
}
