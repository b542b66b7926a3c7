import Foundation
import Sightline
import TextFormatting

/// The objects in a picture as CodeProject.AI writes them; DeepStack's clients read a part of it.
struct DeepStackAnswer: Sendable {
    private let objects: [DetectedObject]
    private let found: Int
    private let size: PixelSize
    private let timings: StageTimings
    private let model: AnswerModel
    private let command: String
    private let roundTrip: Duration

    /// The confidence from which objects are listed without `min_confidence`, as in both servers.
    private static let usualConfidence: Float = 0.4
    /// The objects in an answer without `min_confidence`. Frigate's detector `deepstack` sends no such field, and fails at the 21st
    /// object.
    private static let usualCount = 20

    /// - Parameters:
    ///   - leastConfidence: the confidence from which objects are listed.
    ///   - limit: the largest number of objects to list.
    ///   - command: `detect` or `custom`.
    ///   - roundTrip: the time from the end of the request to now.
    init(_ answer: DetectionAnswer, leastConfidence: Float, limit: Int?, command: String, roundTrip: Duration) {
        // The clients stop at the first object that is too uncertain.
        let sorted = answer.result.objects.filter { $0.confidence >= leastConfidence }
            .sorted { $0.confidence > $1.confidence }
        objects = Array(sorted.prefix(limit ?? sorted.count))
        found = sorted.count + answer.result.omitted
        (size, timings, model) = (answer.result.size, answer.result.timings, answer.model)
        (self.command, self.roundTrip) = (command, roundTrip)
    }

    /// Reads the fields of a request.
    ///
    /// - Returns: the options of the detector, and the largest number of objects to list; nil for all.
    /// - Throws: ``AnswerError`` if `min_confidence` is not a number from 0 to 1.
    static func options(_ fields: RequestFields) throws(AnswerError) -> (options: AnswerOptions, limit: Int?) {
        guard let text = fields["min_confidence"], !text.isEmpty else {
            return (AnswerOptions(threshold: usualConfidence), usualCount)
        }
        guard let value = Float(text), (0...1).contains(value) else {
            throw .invalid("min_confidence is \"\(text.prefix(40))\"; it must be a number from 0 to 1, such as 0.4.")
        }
        return (AnswerOptions(threshold: value), nil)
    }

    /// The answer.
    var json: JSONText {
        var json = JSONText()
        json.object { json in
            json.field("success") { $0.boolean(true) }
            json.field("message") { $0.string(message) }
            json.field("count") { $0.number(objects.count) }
            json.field("predictions") { $0.array(objects, prediction) }
            json.field("inferenceMs") { $0.number(Self.milliseconds(timings.inference)) }
            json.field("processMs") { $0.number(Self.milliseconds(timings.total)) }
            json.field("analysisRoundTripMs") { $0.number(Self.milliseconds(roundTrip)) }
            json.field("code") { $0.number(200) }
            json.field("command") { $0.string(command) }
            json.field("moduleId") { $0.string("Sightline") }
            json.field("moduleName") { $0.string("\(model.name) \(model.version)") }
            json.field("executionProvider") { $0.string("CPU") }
            json.field("canUseGPU") { $0.boolean(false) }
        }
        return json
    }

    private func prediction(_ json: inout JSONText, _ object: DetectedObject) {
        func pixel(_ value: Double, _ limit: Int) -> Int { min(max(Int(value.rounded()), 0), limit) }
        json.object { json in
            json.field("label") { $0.string(object.className) }
            json.field("confidence") { $0.number(object.confidence) }
            json.field("x_min") { $0.number(pixel(object.frame.x, size.width)) }
            json.field("y_min") { $0.number(pixel(object.frame.y, size.height)) }
            json.field("x_max") { $0.number(pixel(object.frame.maxX, size.width)) }
            json.field("y_max") { $0.number(pixel(object.frame.maxY, size.height)) }
        }
    }

    /// For example `Found dog, person`, or `Found dog, person; the 20 most confident of 34 objects are listed`.
    private var message: String {
        guard !objects.isEmpty else { return "No objects found" }
        var names: [String] = []
        for object in objects where !names.contains(object.className) { names.append(object.className) }
        let rest = found > objects.count ? "; the \(objects.count) most confident of \(found) objects are listed" : ""
        return "Found " + names.joined(separator: ", ") + rest
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int((duration / .milliseconds(1)).rounded()) }
}
