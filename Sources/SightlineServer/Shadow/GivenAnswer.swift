import Foundation
import ModelHub
import Sightline

/// An answer that a client got, which another model may give a second time.
struct GivenAnswer: Sendable {
    /// The results of an answer.
    enum Results: Sendable {
        case objects([DetectedObject])
        case labels([Label])
    }

    /// The model that answered.
    let model: AnswerModel
    let picture: Data
    let options: AnswerOptions
    let results: Results

    /// The answer of another model to the same request.
    ///
    /// - Throws: `InputError` if the model lacks a label of the options; ``OtherKind``; the errors of pictures and of running a model.
    func repeated(by other: LoadedModel, limits: ImageLimits) async throws -> Results {
        let image = try VisionImage(data: picture, limits: limits)
        switch (other.engine, results) {
        case (.detector(let detector), .objects):
            let chosen = try options.detection(by: detector)
            return .objects(try await detector.result(in: image, under: chosen).objects)
        case (.labeler(let labeler), .labels):
            let chosen = try options.labeling(by: labeler)
            return .labels(try await labeler.result(in: image, under: chosen).labels)
        case (.labeler, .objects): throw OtherKind(found: "labels pictures", expected: "finds objects")
        case (.detector, .labels): throw OtherKind(found: "finds objects", expected: "labels pictures")
        }
    }

    /// A shadow whose model has another kind of results.
    struct OtherKind: Error, CustomStringConvertible {
        let found, expected: String

        var description: String { "The shadow \(found), but its model \(expected); name a shadow of the same kind." }
    }
}

extension GivenAnswer.Results {
    /// The difference from the results of another model; nil for another kind of results.
    func difference(from other: GivenAnswer.Results) -> AnswerDifference? {
        switch (self, other) {
        case (.objects(let first), .objects(let second)): AnswerDifference(first, second)
        case (.labels(let first), .labels(let second)): AnswerDifference(first, second)
        default: nil
        }
    }
}

extension GivenAnswer.Results {
    /// The names of the labels or objects, the most confident first, at most ten.
    var names: [String] {
        let labels: [Label?] =
            switch self {
            case .objects(let objects): objects.map(\.labels.first)
            case .labels(let labels): labels
            }
        return labels.prefix(10).map { label in
            label.map { $0.text.isEmpty ? "class \($0.index)" : $0.text } ?? "object"
        }
    }
}

extension GivenAnswer.Results: Encodable {
    /// Writes the objects or labels as other answers have them.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .objects(let objects): try container.encode(objects)
        case .labels(let labels): try container.encode(labels)
        }
    }
}
