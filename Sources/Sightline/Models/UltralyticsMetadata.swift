import Foundation
import TensorFlowLite

/// The description that the exporter of Ultralytics packs into the models that it exports.
///
/// The exporter packs one file: `temp_meta.txt`, a Python dictionary, until 8.3; since then `metadata.json`. Source of the keys:
/// the `metadata` of Ultralytics' `Exporter`; the meaning of the outputs follows its backends for TensorFlow Lite and LiteRT.
struct UltralyticsMetadata: Sendable, Hashable {
    /// The purpose of a model.
    enum Task: String, Sendable, Hashable {
        case detect, segment, pose, obb, classify
        /// A class for every pixel.
        case semantic
        /// A distance for every pixel.
        case depth
    }

    /// The points of an object.
    struct PointShape: Sendable, Hashable {
        let count: Int
        /// The numbers of a point: x and y, perhaps with a confidence.
        let numbers: Int
    }

    /// The names of the classes; nil if the file has no names.
    let names: LabelList?
    /// The purpose; nil if the file does not give it (YOLOv5), or gives another.
    let task: Task?
    /// Whether the model reports each object once, so that no boxes have to be suppressed.
    let isEndToEnd: Bool
    /// Whether the model is an RT-DETR.
    let isTransformer: Bool
    /// The size of the pictures with which the model was exported; nil if the file does not give it.
    let imageSize: PixelSize?
    /// The number of points of an object, and the numbers of a point; nil if the file does not give them.
    let pointShape: PointShape?
    /// The names of an object's points; nil if the file does not give them, or gives others for each class.
    let pointNames: [String]?
    /// The model's name, author, license, version and task, for people.
    let facts: [String: String]

    /// Reads the height and the width, or one number for both.
    private static func size(_ value: LiteralValue?) -> PixelSize? {
        func number(_ value: LiteralValue) -> Int? {
            guard case .integer(let number) = value, (1...8192).contains(number) else { return nil }
            return number
        }
        if case .list(let numbers)? = value, numbers.count == 2, let height = number(numbers[0]),
            let width = number(numbers[1])
        {
            return PixelSize(width: width, height: height)
        }
        return value.flatMap(number).map { PixelSize(width: $0, height: $0) }
    }

    private static func pointShape(_ value: LiteralValue?) -> PointShape? {
        guard case .list(let numbers)? = value, numbers.count == 2, case .integer(let count) = numbers[0],
            case .integer(let each) = numbers[1], (1...1024).contains(count)
        else { return nil }
        return PointShape(count: count, numbers: each)
    }

    /// Reads a list of names, or a dictionary with the same list for each class.
    private static func pointNames(_ value: LiteralValue?) -> [String]? {
        switch value {
        case .list(let items)?:
            let names = items.compactMap { if case .text(let name) = $0, !name.isEmpty { name } else { nil } }
            return names.count == items.count ? names : nil
        case .dictionary(let classes)?:
            guard let first = classes.values.first, classes.values.allSatisfy({ $0 == first }), case .list = first
            else {
                return nil
            }
            return pointNames(first)
        default: return nil
        }
    }

    private static let python = "temp_meta.txt"
    private static let json = "metadata.json"

    /// Whether a packed file has the name of the file with the description.
    static func isFileName(_ name: String) -> Bool { name == python || name == json }

    /// Reads the description in a model; nil if the model packs no such file.
    ///
    /// - Parameter name: the name of the model's file.
    init?(in model: any InferenceModel, named name: String) throws(LocalModelError) {
        let names = model.associatedFileNames
        guard let file = [Self.python, Self.json].first(where: names.contains) else {
            try self.init(properties: model.properties, named: name)
            return
        }
        let source = "\(file) inside \(name)"
        let data: Data
        do {
            data = try model.associatedFile(named: file)
        } catch {
            throw .labels(source: source, reason: "\(error)")
        }
        guard file == Self.python else {
            // Others may also pack a file of this name, in any form.
            guard let text = String(data: data, encoding: .utf8),
                case .dictionary(let fields)? = try? LiteralValue(parsing: text),
                fields[.text("names")] != nil || fields[.text("author")] == .text("Ultralytics")
            else { return nil }
            try self.init(fields, source: source)
            return
        }
        try self.init(python: data, source: source)
    }

    /// Reads `temp_meta.txt`.
    init(python data: Data, source: String) throws(LocalModelError) {
        guard let text = String(data: data, encoding: .utf8) else {
            throw .labels(source: source, reason: "it is not UTF-8 text")
        }
        let value: LiteralValue
        do {
            value = try LiteralValue(parsing: text)
        } catch {
            throw .labels(source: source, reason: "it is not a Python dictionary: \(error.reason)")
        }
        guard case .dictionary(let fields) = value, fields[.text("names")] != nil else {
            throw .labels(source: source, reason: "it has no \"names\"")
        }
        try self.init(fields, source: source)
    }

    /// Reads the texts that the exporter writes into an ONNX file: the values of the same keys, each as Python prints it.
    private init?(properties: [String: String], named name: String) throws(LocalModelError) {
        guard properties["names"] != nil || properties["author"] == "Ultralytics" else { return nil }
        var fields: [LiteralValue.Key: LiteralValue] = [:]
        for (key, text) in properties {
            let isText = ![
                "names", "imgsz", "args", "stride", "batch", "channels", "kpt_shape", "kpt_names", "end2end",
            ].contains(
                key
            )
            fields[.text(key)] = isText ? .text(text) : (try? LiteralValue(parsing: text)) ?? .other(text)
        }
        try self.init(fields, source: "the names inside \(name)")
    }

    private init(_ fields: [LiteralValue.Key: LiteralValue], source: String) throws(LocalModelError) {
        func value(_ key: String) -> LiteralValue? { fields[.text(key)] }
        func text(_ key: String) -> String? {
            guard case .text(let text)? = value(key), !text.isEmpty else { return nil }
            return text.prefix(1000).trimmingCharacters(in: .whitespaces)
        }
        func isTrue(_ value: LiteralValue?) -> Bool { value == .other("True") || value == .other("true") }
        names = if let value = value("names") { try LabelList(ultralytics: value, source: source) } else { nil }
        task = text("task").flatMap(Task.init)
        // The argument `nms` asks for suppression in the model; `end2end` names models that need none.
        var hasSuppression = false
        if case .dictionary(let arguments)? = value("args") { hasSuppression = isTrue(arguments[.text("nms")]) }
        isEndToEnd = isTrue(value("end2end")) || hasSuppression
        isTransformer = text("head") == "RTDETRDecoder"
        imageSize = Self.size(value("imgsz"))
        pointShape = Self.pointShape(value("kpt_shape"))
        pointNames = Self.pointNames(value("kpt_names"))
        let facts = [
            "name": text("description"), "author": text("author"), "license": text("license"),
            "version": text("version"), "task": text("task"),
        ]
        self.facts = facts.compactMapValues(\.self)
    }
}
