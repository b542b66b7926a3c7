import Sightline
import TextFormatting

/// A prediction of Label Studio: parts of a picture with names, and names of the whole picture.
///
/// Source: "Label Studio JSON format" and the tags RectangleLabels and Choices in Label Studio's documentation. Boxes are in percent of
/// the upright picture.
struct LabelStudioRegions {
    private var regions: [String] = []
    private var scores: [Float] = []
    /// The models behind the parts. A new version may have come into use since the request began.
    private var models: [AnswerModel] = []

    /// Adds the objects whose labels the project knows.
    mutating func add(_ answer: DetectionAnswer, to control: LabelingInterface.Control) {
        models.append(answer.model)
        let result = answer.result
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
    mutating func add(_ answer: LabelingAnswer, to control: LabelingInterface.Control) {
        models.append(answer.model)
        var names: [String] = []
        var score: Float?
        for label in answer.result.labels {
            guard let name = control.name(for: label.className), !names.contains(name) else { continue }
            names.append(name)
            score = score ?? label.confidence
            if !control.takesSeveral { break }
        }
        guard let score else { return }
        add(control, "choices", answer.result.size, score: score) { json in
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
    var prediction: String {
        var json = JSONText()
        json.object { json in
            json.field("model_version") { $0.string(Self.version(models)) }
            let score = scores.isEmpty ? 0 : scores.reduce(0, +) / Float(scores.count)
            json.field("score") { $0.number(score) }
        }
        return json.text.dropLast() + ",\"result\":[" + regions.joined(separator: ",") + "]}"
    }

    /// The models as Label Studio shows them, for example `yolox-nano@1234567890ab`.
    static func version(_ models: [AnswerModel]) -> String {
        models.map { "\($0.name)@\($0.version)" }.joined(separator: "+")
    }
}
