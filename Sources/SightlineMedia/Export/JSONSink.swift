import Foundation
import Sightline
import TextFormatting

extension ResultFormat {
    /// One JSON array with an object for each picture or frame. ``jsonLines`` describes the objects.
    public static let json = ResultFormat(
        name: "json",
        summary: "a JSON array with an object for each picture or frame",
        fileExtensions: ["json"],
        kinds: [.objects, .labels, .frames],
        holdsFailures: true
    ) { options, write in JSONSink(options, write: write) }

    /// A line of JSON for each picture or frame (jsonlines.org).
    ///
    /// A picture is `{"image", "width", "height", "objects": […], "milliseconds": {…}}`, with `"labels"` in place of `"objects"` if
    /// the whole picture was labeled, and `"guess"` for the best label below its threshold if no label reached one; or `{"image", "error"}` if it failed. `"model"` and `"version"`
    /// are those of ``ResultSinkOptions/model``. A frame is `{"index", "time", "width", "height",
    /// "detected", "dropped", "objects": […], "milliseconds": {…}}`. `index` counts from 0, and times are in seconds.
    ///
    /// An object is `{"frame": {"x", "y", "width", "height"}, "confidence", "labels": [{"text", "index", "confidence"}]}`. Its confidence
    /// is that of its first label, and `"objectConfidence"` that of its box, if it differs. `"unnamed"` is the number of objects that the allowed labels left out
    /// because its name is not sure: the number of objects in a picture, their identities in a frame. A tracked
    /// object also has `"id"`, `"detected"`, `"firstSeen"` and `"age"`.
    ///
    /// A frame has `"events": [{"event", "time", "id", "label"}]` if something happened. The event `crossed` also has `"line"` and
    /// `"direction"`; the events `entered`, `left`, `beganInside`, `endedInside` and `dwellPassed` have `"zone"` and, once the object is
    /// inside, `"dwell"` in seconds; both have `"repeated": true` if the object did the same before. `appeared`, `named` and `lost` have
    /// `"firstSeen"`, `"lastSeen"` and `"confidence"`. The event `state` has the `"thing"`, its state as `"label"`, the `"earlier"` state if one was
    /// known, `"confidence"` and the `"id"` 0. What follows from the end of the stream is not part of a frame; an ``EventFile`` has it.
    public static let jsonLines = ResultFormat(
        name: "jsonl",
        summary: "a line of JSON for each picture or frame, written at once",
        fileExtensions: ["jsonl", "ndjson"],
        kinds: [.objects, .labels, .frames],
        holdsFailures: true
    ) { options, write in JSONLinesSink(writesTimes: options.writesTimes, model: options.model, write: write) }
    .resuming(JSONLinesSink.earlierResults)
}

/// Writes ``ResultFormat/json``.
private struct JSONSink: ResultSink {
    let write: ResultFormat.Writer
    private let writesTimes: Bool
    private let model: ResultModel?
    private var isEmpty = true

    init(_ options: ResultSinkOptions, write: @escaping ResultFormat.Writer) {
        (self.write, writesTimes, model) = (write, options.writesTimes, options.model)
    }

    func begin() throws { try write("[") }

    mutating func append(_ picture: PictureResult) throws {
        try append(JSONText(picture, writesTimes: writesTimes, by: model))
    }

    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        try append(JSONText(frame, events, writesTimes: writesTimes, by: model))
    }

    private mutating func append(_ json: JSONText) throws {
        try write((isEmpty ? "\n" : ",\n") + json.text)
        isEmpty = false
    }

    func finish() throws { try write(isEmpty ? "]\n" : "\n]\n") }
}

/// Writes ``ResultFormat/jsonLines``.
private struct JSONLinesSink: ResultSink {
    let writesTimes: Bool
    let model: ResultModel?
    let write: ResultFormat.Writer

    func append(_ picture: PictureResult) throws {
        try write(JSONText(picture, writesTimes: writesTimes, by: model).text + "\n")
    }

    func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        try write(JSONText(frame, events, writesTimes: writesTimes, by: model).text + "\n")
    }

    /// The pictures of a file. A line without a line feed was cut off.
    @Sendable static func earlierResults(in file: URL, kind: ResultKind) throws(MediaError) -> EarlierResults {
        try EarlierResults(in: file, quotesHoldLines: false) { (line) throws(MediaError) in
            guard let record = try? JSONDecoder().decode(PictureRecord.self, from: line) else {
                throw .otherContents(
                    path: file.path(percentEncoded: false),
                    reason: "it has lines that are not results of pictures"
                )
            }
            return (record.image, record.error != nil)
        }
    }

    private struct PictureRecord: Decodable {
        let image: String
        let error: String?
    }
}

extension JSONText {
    /// A picture's results as one line, without a line feed.
    ///
    /// - Parameters:
    ///   - model: the model of the results; a picture that failed has none.
    ///   - facts: writes further fields after the model's.
    package init(
        _ picture: PictureResult,
        writesTimes: Bool = true,
        by model: ResultModel? = nil,
        adding facts: (inout JSONText) -> Void = { _ in }
    ) {
        self.init()
        object { json in
            json.field("image") { $0.string(picture.name) }
            if picture.size != nil { json.model(model) }
            facts(&json)
            switch picture.outcome {
            case .failure(let reason):
                json.field("error") { $0.string(reason) }
            case .objects(let result):
                json.size(result.size)
                json.field("objects") { $0.array(result.objects) { $0.object($1) } }
                if result.omitted > 0 { json.field("omitted") { $0.number(result.omitted) } }
                if result.unnamed > 0 { json.field("unnamed") { $0.number(result.unnamed) } }
                if writesTimes { json.field("milliseconds") { $0.timings(result.timings) } }
            case .labels(let result):
                json.size(result.size)
                json.field("labels") { $0.array(result.labels) { $0.label($1) } }
                if let guess = result.guess { json.field("guess") { $0.label(guess) } }
                if writesTimes { json.field("milliseconds") { $0.timings(result.timings) } }
            }
        }
    }

    private mutating func size(_ size: PixelSize) {
        field("width") { $0.number(size.width) }
        field("height") { $0.number(size.height) }
    }

    /// A frame's results as one line, without a line feed.
    init(_ result: StreamResult, _ events: [StreamEvent], writesTimes: Bool, by model: ResultModel?) {
        self.init()
        object { json in
            json.field("index") { $0.number(result.index) }
            json.field("time") { $0.number(result.timestamp.seconds) }
            json.size(result.size)
            json.model(model)
            json.field("detected") { $0.boolean(result.isDetected) }
            if result.isDamaged { json.field("damaged") { $0.boolean(true) } }
            json.field("dropped") { $0.number(result.droppedFrames) }
            json.field("objects") { $0.array(result.objects) { $0.object($1) } }
            if !result.unnamed.isEmpty { json.field("unnamed") { $0.array(result.unnamed) { $0.number($1) } } }
            if !events.isEmpty { json.field("events") { $0.array(events) { $0.event($1) } } }
            if writesTimes { json.field("milliseconds") { $0.timings(result.timings, includesTracking: true) } }
        }
    }
}
