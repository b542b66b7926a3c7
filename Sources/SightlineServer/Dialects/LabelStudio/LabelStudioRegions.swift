import Sightline
import TextFormatting

/// A prediction of Label Studio: parts of a picture with names, and names of the whole picture.
///
/// Source: "Label Studio JSON format" and the tags RectangleLabels and Choices in Label Studio's documentation. Boxes are in percent of
/// the upright picture.
struct LabelStudioRegions {
    private var regions: [String] = []
    private var scores: [Float] = []

    /// Adds the objects whose labels the project knows.
    mutating func add(_ result: DetectionResult, to control: LabelingInterface.Control) {
        let (width, height) = (Double(result.size.width), Double(result.size.height))
        for object in result.objects {
            guard let name = control.name(for: object.className) else { continue }
            add(control, "rectanglelabels", result.size, score: object.confidence) { json in
                json.field("x") { $0.number(100 * object.frame.x / width) }
                json.field("y") { $0.number(100 * object.frame.y / height) }
                json.field("width") { $0.number(100 * object.frame.width / width) }
                json.field("height") { $0.number(100 * object.frame.height / height) }
                json.field("rotation") { $0.number(0) }
                json.field("rectanglelabels") { $0.array([name]) { $0.string($1) } }
            }
        }
    }

    /// Adds the labels that the project knows; the most confident alone if the project takes a single name.
    mutating func add(_ result: LabelingResult, to control: LabelingInterface.Control) {
        let known = result.labels.compactMap { label in control.name(for: label.className).map { (name: $0, label) } }
        let names = known.map(\.name).prefix(control.takesSeveral ? known.count : 1)
        guard let best = known.first else { return }
        add(control, "choices", result.size, score: best.1.confidence) { json in
            json.field("choices") { $0.array(names) { $0.string($1) } }
        }
    }

    private mutating func add(
        _ control: LabelingInterface.Control,
        _ type: String,
        _ size: PixelSize,
        score: Float,
        value: (inout JSONText) -> Void
    ) {
        var json = JSONText()
        json.object { json in
            json.field("id") { $0.string("region-\(regions.count + 1)") }
            json.field("from_name") { $0.string(control.name) }
            json.field("to_name") { $0.string(control.picture) }
            json.field("type") { $0.string(type) }
            json.field("original_width") { $0.number(size.width) }
            json.field("original_height") { $0.number(size.height) }
            json.field("image_rotation") { $0.number(0) }
            json.field("value") { $0.object(value) }
            json.field("score") { $0.number(score) }
        }
        regions.append(json.text)
        scores.append(score)
    }

    /// The prediction, whose score is the mean of its parts' scores.
    func prediction(modelVersion: String) -> String {
        var json = JSONText()
        json.object { json in
            json.field("model_version") { $0.string(modelVersion) }
            let score = scores.isEmpty ? 0 : scores.reduce(0, +) / Float(scores.count)
            json.field("score") { $0.number(score) }
        }
        return json.text.dropLast() + ",\"result\":[" + regions.joined(separator: ",") + "]}"
    }
}
