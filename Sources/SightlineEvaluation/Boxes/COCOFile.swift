import DurableFiles
import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The contents of files in COCO's format, with the names in the format. Sizes and boxes may be absent where only labels count.
package struct COCOFile: Decodable {
    package struct Image: Decodable {
        package var id: Int
        package var file_name: String?
        package var width: Int?
        package var height: Int?
    }

    package struct Category: Decodable {
        package var id: Int
        package var name: String
        var keypoints: [String]?
    }

    package struct Annotation: Decodable {
        package var image_id: Int
        package var category_id: Int
        package var bbox: [Double]?
        var area: Double?
        package var iscrowd: Flag?
        var keypoints: [Double]?
    }

    struct Detection: Decodable {
        var image_id: Int
        var category_id: Int
        var bbox: [Double]?
        var keypoints: [Double]?
        var score: Double
    }

    /// Decodes 0 and 1, or false and true.
    package struct Flag: Decodable {
        package let value: Bool

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try (try? container.decode(Bool.self)) ?? (container.decode(Double.self) != 0)
        }
    }

    package var images: [Image]
    package var categories: [Category]
    package var annotations: [Annotation]
}

/// A file in COCO's format. Its errors name the place in the file, the expected and the found value.
package struct COCODocument<Content: Decodable> {
    package let content: Content
    /// The file, for messages.
    package let path: String
    let data: Data

    private static var maximumBytes: Int { 1 << 30 }

    /// Reads a file.
    ///
    /// - Throws: `EvaluationError.unreadable` or `.malformed`.
    package init(contentsOf url: URL) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
        guard let values, values.isRegularFile == true else {
            throw .unreadable(path: path, reason: "there is no such file")
        }
        guard (values.fileSize ?? 0) <= Self.maximumBytes else {
            throw .unreadable(path: path, reason: "it has more than \(Self.maximumBytes) bytes")
        }
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path: path, reason: SystemReason.of(error))
        }
        try self.init(data, path: path)
    }

    /// - Throws: `EvaluationError.malformed`.
    package init(_ data: Data, path: String) throws(EvaluationError) {
        (self.data, self.path) = (data, path)
        do {
            content = try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw .malformed(path: path, reason: Self.reason(error, in: data))
        }
    }

    /// The error of a value that has the right type but cannot be used.
    ///
    /// - Parameters:
    ///   - list: the name of the list; nil if the file is the list.
    ///   - index: the position in the list.
    ///   - key: the name of the value.
    func wrongValue(at list: String?, _ index: Int, _ key: String) -> EvaluationError {
        let place = [list.map(Step.key), .index(index), .key(key)].compactMap(\.self)
        return .malformed(path: path, reason: Self.sentence(on: place, in: data))
    }

    /// A value that the file must have.
    ///
    /// - Throws: `EvaluationError.malformed` if it is nil.
    package func required<Value>(
        _ value: Value?,
        at list: String?,
        _ index: Int,
        _ key: String
    ) throws(EvaluationError) -> Value {
        guard let value else {
            throw .malformed(
                path: path,
                reason: Self.absence(of: key, at: [list.map(Step.key), .index(index)].compactMap(\.self))
            )
        }
        return value
    }

    private enum Step {
        case key(String), index(Int)
    }

    /// The values by their names.
    private static var expectations: [String: String] {
        [
            "images": "an array", "categories": "an array", "annotations": "an array",
            "id": "a whole number", "image_id": "a whole number", "category_id": "a whole number",
            "width": "a whole number", "height": "a whole number", "file_name": "text", "name": "text",
            "bbox": "four numbers x, y, width, height", "keypoints": "x, y and the visibility of each point",
            "area": "a number", "iscrowd": "0 or 1",
            "segmentation": "polygons with three corners or more, or runs (RLE) that fill the picture",
            "score": "a number from 0 to 1, or -1 for a box without a score",
        ]
    }

    private static func reason(_ error: any Error, in data: Data) -> String {
        func steps(_ context: DecodingError.Context) -> [Step] {
            context.codingPath.map { $0.intValue.map(Step.index) ?? .key($0.stringValue) }
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return absence(of: key.stringValue, at: steps(context))
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            return sentence(on: steps(context), in: data)
        case DecodingError.dataCorrupted(let context):
            return context.codingPath.isEmpty ? corruption(of: data) : sentence(on: steps(context), in: data)
        default: return corruption(of: data)
        }
    }

    private static func absence(of key: String, at place: [Step]) -> String {
        "\(text(of: place)) lacks \"\(key)\"\(expectations[key].map { ", expected \($0)" } ?? "")"
    }

    /// The reason for which the decoder gives no place: the text is not JSON, or a number is not whole, or too large.
    private static func corruption(of data: Data) -> String {
        do {
            let document = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            let lists = (document as? [String: Any])?.mapValues { $0 as? [Any] } ?? ["": document as? [Any]]
            for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
                for (index, item) in (list ?? []).enumerated() {
                    for key in ["id", "image_id", "category_id", "width", "height"] {
                        guard let number = (item as? [String: Any])?[key] as? NSNumber,
                            Int(exactly: number.doubleValue) == nil
                        else { continue }
                        let place: [Step] = (name.isEmpty ? [] : [.key(name)]) + [.index(index), .key(key)]
                        return sentence(on: place, in: data)
                    }
                }
            }
            return "a number in it cannot be used"
        } catch {
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
            return "it is not valid JSON" + (detail.map { " (\($0.trimmingCharacters(in: ["."])))" } ?? "")
        }
    }

    /// For example `annotations[17].bbox is [1,2,3], expected four numbers x, y, width, height`.
    private static func sentence(on place: [Step], in data: Data) -> String {
        var value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        var expected = Content.self is COCOFile.Type ? "an object with images, categories and annotations" : "an array"
        for step in place {
            switch step {
            case .key(let key):
                value = (value as? [String: Any])?[key]
                expected = expectations[key] ?? expected
            case .index(let index):
                let list = value as? [Any]
                value = list.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                expected = expected.hasPrefix("four numbers") ? "a number" : "an object"
            }
        }
        return "\(text(of: place)) is \(text(of: value)), expected \(expected)"
    }

    private static func text(of place: [Step]) -> String {
        let text = place.map { step in
            switch step {
            case .key(let key): ".\(key)"
            case .index(let index): "[\(index)]"
            }
        }.joined()
        return text.isEmpty ? "the file" : text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    /// A value as JSON, shortened; a large one by its kind.
    private static func text(of value: Any?) -> String {
        guard let value else { return "unreadable" }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        let json = (try? JSONSerialization.data(withJSONObject: value, options: options)).map {
            String(decoding: $0, as: UTF8.self)
        }
        if let json, json.count <= 60 { return json }
        switch value {
        case is [Any]: return "an array"
        case is [String: Any]: return "an object"
        default: return json.map { $0.prefix(60) + "…" } ?? "\(value)"
        }
    }
}
