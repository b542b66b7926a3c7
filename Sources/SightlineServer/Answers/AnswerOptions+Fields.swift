import CommandLineSupport
import Foundation
import Sightline

/// The fields of a request: those of its query, then those of its form.
package struct RequestFields: Sendable {
    /// The fields in their order.
    package var all: [(name: String, value: String)]

    /// Creates fields.
    package init(_ all: [(name: String, value: String)] = []) { self.all = all }

    /// The last value of a name; nil if there is none.
    package subscript(name: String) -> String? { all.last { $0.name == name }?.value }

    /// The values of a name.
    package func values(of name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }
}

extension AnswerOptions {
    /// The names of the fields that are options.
    static let names = [
        "threshold", "classification-threshold", "iou-threshold", "agnostic-nms", "max-objects", "max-labels", "single",
        "allow", "deny", "roi", "fit",
    ]

    /// Reads options from fields with the names of the command's options.
    ///
    /// - Parameter others: further names that the request may have.
    /// - Throws: ``AnswerError`` about a field that is unknown or has no usable value.
    package init(_ fields: RequestFields, besides others: [String] = []) throws(AnswerError) {
        let known = Self.names + others
        for field in fields.all where !known.contains(field.name) {
            let near = Suggestion.nearest(to: field.name, among: known)
            let advice = near.isEmpty ? "it may be \(known.joined(separator: ", "))" : "did you mean \(near[0])?"
            throw .invalid("The field \(field.name.prefix(60)) is unknown; \(advice)")
        }
        thresholds = try Self.thresholds(fields, "threshold")
        classificationThresholds = try Self.thresholds(fields, "classification-threshold")
        iouThreshold = try Self.value(fields, "iou-threshold", "a number from 0 to 1") { text in
            Float(text).flatMap { (0...1).contains($0) ? $0 : nil }
        }
        suppressesAcrossClasses = try Self.flag(fields, "agnostic-nms")
        maximumObjects = try Self.count(fields, "max-objects")
        maximumLabels = try Self.count(fields, "max-labels")
        reportsSingleObject = try Self.flag(fields, "single")
        allow = fields.values(of: "allow")
        deny = fields.values(of: "deny")
        region = try Self.value(fields, "roi", "x,y,width,height in pixels, such as 100,50,640,480") { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
            guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else { return nil }
            return PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
        fit = try Self.value(fields, "fit", "stretch or crop") { ["stretch": .stretch, "crop": .crop][$0] }
    }

    private static func thresholds(_ fields: RequestFields, _ name: String) throws(AnswerError) -> [ThresholdArgument] {
        var arguments: [ThresholdArgument] = []
        for text in fields.values(of: name) {
            guard let argument = ThresholdArgument(argument: text), (0...1).contains(argument.value) else {
                throw unusable(name, text, "a confidence from 0 to 1, such as 0.4 or person=0.6")
            }
            arguments.append(argument)
        }
        return arguments
    }

    private static func count(_ fields: RequestFields, _ name: String) throws(AnswerError) -> Int? {
        try value(fields, name, "a number from 1 to 100000") { text in
            Int(text).flatMap { (1...100_000).contains($0) ? $0 : nil }
        }
    }

    /// A field without a value is a flag as on a command line.
    private static func flag(_ fields: RequestFields, _ name: String) throws(AnswerError) -> Bool {
        try value(fields, name, "true or false") {
            ["": true, "true": true, "1": true, "false": false, "0": false][$0]
        }
            ?? false
    }

    private static func value<Value>(
        _ fields: RequestFields,
        _ name: String,
        _ expected: String,
        _ read: (String) -> Value?
    ) throws(AnswerError) -> Value? {
        guard let text = fields[name] else { return nil }
        guard let value = read(text) else { throw unusable(name, text, expected) }
        return value
    }

    private static func unusable(_ name: String, _ text: String, _ expected: String) -> AnswerError {
        .invalid("\(name) is \"\(text.prefix(60))\"; it must be \(expected).")
    }
}
