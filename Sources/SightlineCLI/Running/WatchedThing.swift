import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import TextFormatting

/// A thing whose state is read, with its labeler.
struct WatchedThing: Sendable {
    let settings: StateArgument
    let labeler: ThingLabeler
    /// The name of the thing.
    var name: String { settings.name }
}

/// Names the part of a picture that shows a thing. Things with the same model share one.
final class ThingLabeler: Sendable {
    private let labeler: ImageLabeler
    /// The states that a thing can have.
    let labels: [String]
    fileprivate let file: ModelFile

    /// A model's file as it was read, so that another one in its place is noticed.
    fileprivate struct ModelFile: Hashable {
        let model: LocalModel
        let size: Int?
        let date: Date?

        init(_ model: LocalModel) {
            self.model = model
            let facts = try? model.url.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey])
            (size, date) = (facts?.fileSize, facts?.contentModificationDate)
        }
    }

    /// The largest number of states of a thing.
    private static let mostLabels = 50

    fileprivate init(_ file: ModelFile, named name: String) throws {
        self.file = file
        var options = ImageLabelerOptions(model: file.model)
        (options.maximumLabels, options.optimizesModel) = (1, true)
        let requested = RequestedModel(file.model, named: name, for: .labeling)
        labeler = try loading([requested]) { [options] in try ImageLabeler(options: options) }
        labels = labeler.labelNames
        guard (1...Self.mostLabels).contains(labels.count) else {
            throw InputError(
                reason:
                    "The model \(FileName.printed(name)) has \(NumberText.count(labels.count, "label")), but a state needs 1 to "
                    + "\(Self.mostLabels), such as open and closed; `sightline zones` makes such a model from a recording."
            )
        }
    }

    /// The label of a region, which is stretched to the model's input; nil if none reaches the model's threshold.
    ///
    /// - Throws: the errors of `ImageLabeler`.
    func label(of region: PixelRect, in image: VisionImage) async throws -> Label? {
        var options = labeler.options
        (options.regionOfInterest, options.fit) = (region, .stretch)
        return try await labeler.result(in: image, under: options).labels.first
    }
}

/// The labelers of things, each compiled once.
final class ThingLabelers {
    private var known: [ThingLabeler.ModelFile: ThingLabeler]

    /// - Parameter earlier: things whose labelers are used again as long as their files are unchanged.
    init(_ earlier: [WatchedThing] = []) {
        known = Dictionary(earlier.map { ($0.labeler.file, $0.labeler) }) { first, _ in first }
    }

    /// Finds and compiles the models of things.
    ///
    /// - Throws: an exit code after a message, or `InputError` for a model that names too many things.
    func things(_ settings: [StateArgument]) throws -> [WatchedThing] {
        try settings.map { settings in
            let file = ThingLabeler.ModelFile(try ModelArgument.resolve(settings.model, labels: nil))
            let labeler = try known[file] ?? reporting { try ThingLabeler(file, named: settings.model) }
            known[file] = labeler
            return WatchedThing(settings: settings, labeler: labeler)
        }
    }
}
