import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

/// The model whose network a training or a comparison uses.
struct TrainingStart {
    let model: LocalModel
    let name: String
    let license: String?

    /// The classifier of the catalog whose features are best for new labels, as measured on flowers, things and groceries.
    static let usual = "mobilenet-v2"

    /// Finds a start, and installs it if the catalog has it.
    ///
    /// Without a name, the usual start; where that is neither installed nor can be fetched, the built-in network of features, with a line that says
    /// so.
    ///
    /// - Parameter instead: The consequences of the built-in network for the result, as sentences.
    /// - Throws: an exit code after a message.
    static func find(
        _ name: String?,
        store: ModelStore = .ofUser(),
        instead: String = insteadForTraining
    ) throws -> TrainingStart {
        if let name {
            let catalog = try reporting { try ModelCatalog.bundled() }
            if let entry = catalog[name], !FileManager.default.fileExists(atPath: name) {
                return try reporting { try installed(entry, in: store) }
            }
            // The card names the file, not its place on this machine.
            let model = try ModelArgument.resolve(name, labels: nil, store: store)
            let entry = catalog.entry(sameAs: model.url)
            return TrainingStart(
                model: model,
                name: entry?.name ?? URL(filePath: name).lastPathComponent,
                license: entry?.license
            )
        }
        do {
            return try installed(try ModelCatalog.bundled().entry(named: usual), in: store)
        } catch {
            StandardError.report("\(sentence(for: error)) \(instead)")
            return TrainingStart(model: .builtInFeatures, name: "the built-in network", license: nil)
        }
    }

    private static let insteadForTraining =
        "Training begins with the built-in network instead, which usually costs about 8 points: of flowers, 80 % are then right "
        + "instead of 88 %."

    private static func installed(_ entry: CatalogEntry, in store: ModelStore) throws -> TrainingStart {
        if store[entry.name] == nil { CatalogModel.report(entry) }
        var progress = ProgressLine()
        defer { progress.clear() }
        let model = try store.install(Installation(entry)) { received, expected in
            progress.show { DownloadText.line(entry.name, received: received, expected: expected) }
        }
        return TrainingStart(model: LocalModel(url: model.model), name: entry.name, license: entry.license)
    }
}
