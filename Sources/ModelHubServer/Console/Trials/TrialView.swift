import Foundation
import TextFormatting

/// The result of trying a model with a picture, prepared for its page.
struct TrialView: Sendable {
    struct Finding: Sendable {
        var label: String
        var confidence: String
        /// Whether the confidence is below the version's threshold, so that apps do not report it.
        var isDropped: Bool
    }

    struct Box: Sendable {
        var x: String
        var y: String
        var width: String
        var height: String
        var textX: String
        var textY: String
        var title: String
    }

    /// The picture as a `data:` address: the hub keeps no file that another address could name.
    var picture: String
    var width: String
    var height: String
    var fontSize: String
    var boxes: [Box]
    var findings: [Finding]
    var hasFindings: Bool
    var isOfObjects: Bool
    var summary: String
    var name: String

    /// - Parameters:
    ///   - kind: Whether the model labels pictures or finds objects.
    ///   - threshold: The threshold of the version.
    ///   - name: The file name of the picture.
    init(_ trial: ModelTrial, kind: any EvaluationKind, threshold: Double?, named name: String) {
        self.name = name
        picture = "data:image/jpeg;base64,\(trial.jpeg.base64EncodedString())"
        (width, height) = ("\(trial.width)", "\(trial.height)")
        let size = max(Double(max(trial.width, trial.height)) / 45, 8)
        fontSize = ConsoleText.decimal(size, 1)
        isOfObjects = kind.task == .detection
        func label(of finding: ModelTrial.Finding) -> String { finding.label.isEmpty ? "object" : finding.label }
        // The most confident last, so that it lies on top.
        boxes = trial.findings.reversed().compactMap { finding in
            finding.frame.map { frame in
                Box(
                    x: ConsoleText.decimal(frame[0], 1),
                    y: ConsoleText.decimal(frame[1], 1),
                    width: ConsoleText.decimal(max(frame[2], 0), 1),
                    height: ConsoleText.decimal(max(frame[3], 0), 1),
                    textX: ConsoleText.decimal(max(frame[0], 0) + size / 3, 1),
                    textY: ConsoleText.decimal(max(frame[1], 0) + size * 1.1, 1),
                    title: "\(label(of: finding)) \(ConsoleText.percent(finding.confidence))"
                )
            }
        }
        findings = trial.findings.map { finding in
            Finding(
                label: label(of: finding),
                confidence: ConsoleText.percent(finding.confidence),
                isDropped: threshold.map { finding.confidence < $0 } ?? false
            )
        }
        hasFindings = !findings.isEmpty
        let found =
            isOfObjects ? ConsoleText.count(findings.count, "object") : ConsoleText.count(findings.count, "label")
        summary = "\(found) in \(ConsoleText.decimal(trial.milliseconds, 0)) ms on the hub"
    }
}
