import Foundation
import SightlineEvaluation

/// The photos of a training: the file that `sightline-hub train-labels` reads, beside their files.
package struct TrainingPhotos: Codable, Sendable {
    /// A photo.
    package struct Photo: Codable, Sendable {
        /// The name of the file in the folder, which reports name too.
        package var file: String
        package var label: String

        /// Names a photo.
        package init(file: String, label: String) { (self.file, self.label) = (file, label) }
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
    /// A photo whose label is perhaps wrong.
    package struct Doubt: Codable, Sendable {
        package var file, label, answer: String
        package var confidence: Double

        /// Creates a doubt.
        package init(file: String, label: String, answer: String, confidence: Double) {
            (self.file, self.label, self.answer, self.confidence) = (file, label, answer, confidence)
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
        package var report: LabelReport
        package var doubts: [Doubt]

        /// Creates a result.
        package init(
            byteCount: Int,
            threshold: Double?,
            notes: String,
            card: String,
            report: LabelReport,
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
