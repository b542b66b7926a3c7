import Foundation
import Sightline
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
        /// The number of its label's color.
        var color: Int
        var title: String
    }

    struct Plate: Sendable {
        var x: String
        var y: String
        var width: String
        var height: String
        var textX: String
        var textY: String
        var textWidth: String
        var color: Int
        var title: String
    }

    /// The values of the tags of `ZoneDrawing.template`.
    struct Drawing: Sendable {
        var picture: String
        var name: String
        var width: String
        var height: String
    }

    /// The number of colors in console.css.
    private static let colors = 7

    /// The picture as a `data:` address: the hub keeps no file that another address could name.
    var picture: String
    var width: String
    var height: String
    var fontSize: String
    /// The most confident last, so that it lies on top.
    var boxes: [Box] = []
    /// The labels of the boxes, as far as they have room; the list beside the picture has all of them.
    var plates: [Plate] = []
    var findings: [Finding]
    var isOfObjects: Bool
    /// The picture on which people draw lines and zones; nil if the model labels pictures.
    var drawing: Drawing?
    var summary: String
    var name: String

    /// - Parameters:
    ///   - task: Whether the model labels pictures or finds objects.
    ///   - threshold: The threshold of the version.
    ///   - name: The file name of the picture.
    init(_ trial: ModelTrial, task: ModelInspection.Purpose, threshold: Double?, named name: String) {
        self.name = name
        picture = "data:image/jpeg;base64,\(trial.jpeg.base64EncodedString())"
        (width, height) = ("\(trial.width)", "\(trial.height)")
        var places = LabelPlates(width: trial.width, height: trial.height)
        fontSize = NumberText.decimal(places.fontSize, 1)
        isOfObjects = task == .detection
        func label(of finding: ModelTrial.Finding) -> String { finding.label.isEmpty ? "object" : finding.label }
        var colors: [String: Int] = [:]
        for finding in trial.findings {
            guard let frame = finding.frame else { continue }
            let name = label(of: finding)
            let color = colors[name] ?? colors.count % Self.colors
            colors[name] = color
            let title = "\(name) \(NumberText.percent(finding.confidence))"
            let box = LabelPlates.Frame(x: frame[0], y: frame[1], width: max(frame[2], 0), height: max(frame[3], 0))
            boxes.insert(Box(box, color: color, title: title), at: 0)
            guard let plate = places.place(title, of: box) else { continue }
            plates.append(Plate(plate, places, color: color, title: title))
        }
        findings = trial.findings.map { finding in
            Finding(
                label: label(of: finding),
                confidence: NumberText.percent(finding.confidence),
                isDropped: threshold.map { finding.confidence < $0 } ?? false
            )
        }
        let found =
            isOfObjects ? NumberText.grouped(findings.count, "object") : NumberText.grouped(findings.count, "label")
        if isOfObjects {
            drawing = Drawing(
                picture: picture,
                name: name,
                width: "\(trial.originalWidth)",
                height: "\(trial.originalHeight)"
            )
        }
        summary = "\(found) in \(NumberText.decimal(trial.milliseconds, 0)) ms on the hub"
    }
}

extension TrialView.Box {
    fileprivate init(_ frame: LabelPlates.Frame, color: Int, title: String) {
        x = NumberText.decimal(frame.x, 1)
        y = NumberText.decimal(frame.y, 1)
        width = NumberText.decimal(frame.width, 1)
        height = NumberText.decimal(frame.height, 1)
        (self.color, self.title) = (color, title)
    }
}

extension TrialView.Plate {
    fileprivate init(_ frame: LabelPlates.Frame, _ places: LabelPlates, color: Int, title: String) {
        x = NumberText.decimal(frame.x, 1)
        y = NumberText.decimal(frame.y, 1)
        width = NumberText.decimal(frame.width, 1)
        height = NumberText.decimal(frame.height, 1)
        textX = NumberText.decimal(frame.x + places.margin, 1)
        textY = NumberText.decimal(frame.y + places.fontSize, 1)
        textWidth = NumberText.decimal(frame.width - 2 * places.margin, 1)
        (self.color, self.title) = (color, title)
    }
}
