import Foundation

/// The findings of a model in a single picture: a line of `sightline-hub try-model`.
package struct ModelTrial: Codable, Sendable {
    /// A label of the picture, or an object in it.
    package struct Finding: Codable, Sendable {
        /// The name of the label; empty if the model knows no names.
        package var label: String
        /// From 0 to 1.
        package var confidence: Double
        /// The place of an object in pixels of the shown picture: left, top, width and height; nil for a label.
        package var frame: [Double]?

        /// Creates a finding.
        package init(label: String, confidence: Double, frame: [Double]?) {
            self.label = label
            self.confidence = confidence
            self.frame = frame
        }
    }

    /// The findings, most confident first.
    package var findings: [Finding]
    /// The picture upright, in a size for a page, as JPEG.
    package var jpeg: Data
    /// The size of that JPEG in pixels.
    package var width: Int
    package var height: Int
    /// The size of the picture itself, upright, in pixels.
    package var originalWidth: Int
    package var originalHeight: Int
    /// The time for the picture in milliseconds, with its decoding, without the loading of the model.
    package var milliseconds: Double

    /// Creates a result.
    package init(
        findings: [Finding],
        jpeg: Data,
        size: (width: Int, height: Int),
        originalSize: (width: Int, height: Int),
        milliseconds: Double
    ) {
        self.findings = findings
        self.jpeg = jpeg
        (width, height) = size
        (originalWidth, originalHeight) = originalSize
        self.milliseconds = milliseconds
    }

    /// The maximum number of shown labels of a picture.
    package static let maximumLabels = 5
    /// The maximum number of findings.
    package static let maximumFindings = 100
    /// The longer side of the shown picture in pixels.
    package static let maximumSide = 1024
}

/// The reason why a picture could not be tried.
package struct ModelTrialFailure: Codable, Sendable {
    package var error: String

    /// Creates a failure.
    package init(error: String) { self.error = error }
}

extension ModelTrial {
    /// Reads a result, which an untrusted model may have forged; nil if it is not plausible.
    init?(json: Data) {
        guard let trial = try? JSONDecoder().decode(ModelTrial.self, from: json),
            trial.findings.count <= Self.maximumFindings, trial.jpeg.starts(with: [0xFF, 0xD8, 0xFF]),
            (1...Self.maximumSide).contains(trial.width), (1...Self.maximumSide).contains(trial.height),
            trial.originalWidth >= trial.width, trial.originalHeight >= trial.height, trial.milliseconds.isFinite,
            trial.findings.allSatisfy({ finding in
                finding.confidence.isFinite && finding.label.utf8.count <= 1000
                    && finding.frame.map { $0.count == 4 && $0.allSatisfy(\.isFinite) } ?? true
            })
        else { return nil }
        self = trial
    }
}
