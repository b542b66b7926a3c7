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

    /// The names of the classes; nil if the file has no names.
    let names: LabelList?
    /// The purpose; nil if the file does not give it (YOLOv5), or gives another.
    let task: Task?
    /// Whether the model reports each object once, so that no boxes have to be suppressed.
    let isEndToEnd: Bool
    /// Whether the model is an RT-DETR.
    let isTransformer: Bool
    /// The model's name, author, license, version and task, for people.
    let facts: [String: String]

    private static let python = "temp_meta.txt"
    private static let json = "metadata.json"

    /// Whether a packed file has the name of the file with the description.
    static func isFileName(_ name: String) -> Bool { name == python || name == json }

    /// Reads the description in a model; nil if the model packs no such file.
    ///
    /// - Parameter name: the name of the model's file.
    init?(in model: Model, named name: String) throws(LocalModelError) {
        let names = model.associatedFileNames
        guard let file = [Self.python, Self.json].first(where: names.contains) else { return nil }
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
        let facts = [
            "name": text("description"), "author": text("author"), "license": text("license"),
            "version": text("version"), "task": text("task"),
        ]
        self.facts = facts.compactMapValues(\.self)
    }
}
