import Foundation
import ModelHubProtocol
import SightlineEvaluation

/// The photos of a training: the file that the process which trains reads, beside their files.
package struct TrainingPhotos: Codable, Sendable {
    /// A photo.
    package struct Photo: Codable, Sendable {
        /// The name of the file in the folder, which reports name too.
        package var file: String
        /// The label; nil for none.
        package var label: String?
        /// The drawn boxes; nil if nobody has drawn them.
        package var boxes: [PhotoBox]?
        /// The size in pixels, upright.
        package var width, height: Int

        /// Names a photo.
        package init(file: String, label: String?, boxes: [PhotoBox]?, width: Int, height: Int) {
            (self.file, self.label, self.boxes, self.width, self.height) = (file, label, boxes, width, height)
        }
    }

    /// The name of the data set.
    package var name: String
    /// The name of the model.
    package var model: String
    package var photos: [Photo]

    /// Creates a list.
    package init(name: String, model: String, photos: [Photo]) {
        (self.name, self.model, self.photos) = (name, model, photos)
    }

    /// The name of the file.
    package static let fileName = "photos.json"
}

/// A line of a process that trains. The bytes of the model follow the line with the result.
package struct TrainingLine: Codable, Sendable {
    /// A photo whose label or boxes are perhaps wrong.
    package struct Doubt: Codable, Sendable {
        package var file, answer: String
        package var confidence: Double
        /// The boxes that the model found without a box of its label; nil for labels.
        package var found: [PhotoBox]?

        /// Creates a doubt.
        package init(file: String, answer: String, confidence: Double, found: [PhotoBox]? = nil) {
            (self.file, self.answer, self.confidence, self.found) = (file, answer, confidence, found)
        }
    }

    /// The figures of a model.
    package enum Report: Codable, Sendable {
        case labels(LabelReport)
        case boxes(BoxReport)

        /// The figures of either kind.
        var content: any EvaluationReport {
            switch self {
            case .labels(let report): report
            case .boxes(let report): report
            }
        }

        /// The kind of training that has such figures.
        var kind: Training.Kind {
            switch self {
            case .labels: .labels
            case .boxes: .boxes
            }
        }
    }

    /// A trained model.
    package struct Result: Codable, Sendable {
        /// The size of the model's file.
        package var byteCount: Int
        package var threshold: Double?
        /// Sentences about the model.
        package var notes: String
        /// The card as JSON.
        package var card: String
        package var report: Report
        package var doubts: [Doubt]

        /// Creates a result.
        package init(
            byteCount: Int,
            threshold: Double?,
            notes: String,
            card: String,
            report: Report,
            doubts: [Doubt]
        ) {
            (self.byteCount, self.threshold, self.notes) = (byteCount, threshold, notes)
            (self.card, self.report, self.doubts) = (card, report, doubts)
        }
    }

    /// `reading` or `fitting`.
    package var stage: String?
    package var done: Int?
    package var total: Int?
    package var result: Result?
    /// The reason why there is no model.
    package var error: String?

    /// Creates an empty line.
    package init() {}
}
