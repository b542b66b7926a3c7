import Foundation
import Sightline

/// Boxes in Label Studio's exports "JSON" and "JSON-MIN": a list of tasks, each with the address of a picture and its rectangles.
///
/// A rectangle is in percent of the upright picture. Of several annotations of a task, the first that was not cancelled counts.
/// Source: labelstud.io/guide/export.
struct LabelStudioTasks: Decodable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A rectangle, with the names in the format.
    struct Rectangle: Decodable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        var rotation: Double?
        var rectanglelabels: [String]?
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A result of an annotation; only rectangles count.
    private struct Result: Decodable {
        var rectangle: Rectangle?
        var original_width: Int?
        var original_height: Int?

        private enum CodingKeys: String, CodingKey {
            case type, value, original_width, original_height
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            original_width = try? fields.decode(Int.self, forKey: .original_width)
            original_height = try? fields.decode(Int.self, forKey: .original_height)
            let type = try? fields.decode(String.self, forKey: .type)
            rectangle = type == "rectanglelabels" ? try fields.decode(Rectangle.self, forKey: .value) : nil
        }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct Annotation: Decodable {
        var was_cancelled: Bool?
        var result: [Result]
    }

    /// A picture with its rectangles.
    private struct Task: Decodable {
        let picture: String
        let size: PixelSize
        let rectangles: [Rectangle]

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            let usual = ["image", "img", "picture", "photo", "url"].map(Key.init(stringValue:))
            if let data = try? fields.decode([String: Text].self, forKey: Key(stringValue: "data")) {
                let texts = data.compactMapValues(\.text)
                let name = usual.lazy.compactMap { texts[$0.stringValue] }.first ?? texts.min { $0.key < $1.key }?.value
                picture = name ?? ""
                let annotations = try fields.decodeIfPresent([Annotation].self, forKey: Key(stringValue: "annotations"))
                let chosen = (annotations ?? []).first { $0.was_cancelled != true }
                rectangles = chosen?.result.compactMap(\.rectangle) ?? []
                let sized = chosen?.result.first { $0.original_width != nil }
                size = PixelSize(width: sized?.original_width ?? 0, height: sized?.original_height ?? 0)
                return
            }
            picture = usual.lazy.compactMap { try? fields.decode(String.self, forKey: $0) }.first ?? ""
            // The control of the rectangles has any name; it is the list of things with rectanglelabels.
            let lists = fields.allKeys.sorted { $0.stringValue < $1.stringValue }.lazy
                .compactMap { try? fields.decode([Rectangle].self, forKey: $0) }
            rectangles = lists.first { !$0.isEmpty } ?? []
            size = PixelSize(width: 0, height: 0)
        }

        /// A value that is perhaps a text.
        private struct Text: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }
    }

    private let tasks: [Task]

    init(from decoder: any Decoder) throws {
        tasks = try decoder.singleValueContainer().decode([Task].self)
    }

    /// Recognizes a file: JSON that begins with a list. Nil for another file.
    ///
    /// - Throws: `EvaluationError.malformedAnnotations`.
    static func read(_ url: URL) throws(EvaluationError) -> LabelStudioTasks? {
        guard url.pathExtension.lowercased() == "json", let file = try? FileHandle(forReadingFrom: url) else {
            return nil
        }
        defer { try? file.close() }
        let beginning = String(decoding: (try? file.read(upToCount: 256)) ?? Data(), as: UTF8.self)
        guard beginning.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }) == "[" else { return nil }
        do {
            let tasks = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
            guard tasks.tasks.contains(where: { !$0.picture.isEmpty }) else {
                throw EvaluationError.malformedAnnotations(
                    path: url.path(percentEncoded: false),
                    reason: "its list has no tasks of Label Studio with the address of a picture"
                )
            }
            return tasks
        } catch let error as EvaluationError {
            throw error
        } catch {
            throw .malformedAnnotations(
                path: url.path(percentEncoded: false),
                reason: "it is a list, but not of tasks of Label Studio, whose export \"JSON\" can be read"
            )
        }
    }

    /// The pictures and their boxes. Pictures are opened for their sizes where the export has none.
    func annotations(named name: String, in folder: URL) -> BoxAnnotations {
        var boxes = DrawnBoxes(name: name)
        var paths = AnnotatedPaths(folder)
        for task in tasks where !task.picture.isEmpty {
            let path = Self.path(task.picture, in: folder, &paths)
            let stored = (try? VisionImage(contentsOf: folder.appending(path: path)))?.size
            // A picture that cannot be opened is reported when its turn comes.
            let size = stored ?? task.size
            let (width, height) = (Double(size.width) / 100, Double(size.height) / 100)
            boxes.add(
                path,
                size,
                task.rectangles.compactMap { rectangle in
                    guard let label = rectangle.rectanglelabels?.first, (rectangle.rotation ?? 0) == 0 else {
                        return nil
                    }
                    let frame = PixelRect(bbox: [
                        rectangle.x * width, rectangle.y * height, rectangle.width * width, rectangle.height * height,
                    ])
                    return frame.map { DrawnBoxes.Box(label: label, frame: $0) }
                }
            )
        }
        return boxes.annotations
    }

    /// The file that an address means: Label Studio keeps uploads as `/data/upload/1/0a1b2c3d-photo.jpg`, and files of a folder as
    /// `/data/local-files/?d=photos/photo.jpg`.
    private static func path(_ address: String, in folder: URL, _ paths: inout AnnotatedPaths) -> String {
        let query = address.components(separatedBy: "?d=")
        let decoded = (query.count > 1 ? query[1] : address)
        let text = decoded.removingPercentEncoding ?? decoded
        var rest = text.split(separator: "/").map(String.init)
        func isFile(_ path: String) -> Bool {
            FileManager.default.fileExists(atPath: folder.appending(path: path).path(percentEncoded: false))
        }
        while !rest.isEmpty {
            let found = paths.path(of: rest.joined(separator: "/"))
            if isFile(found) { return found }
            if rest.count == 1 {
                let plain = rest[0].split(separator: "-", maxSplits: 1)
                if plain.count == 2, plain[0].count == 8 {
                    let found = paths.path(of: String(plain[1]))
                    if isFile(found) { return found }
                }
            }
            rest.removeFirst()
        }
        return text.split(separator: "/").last.map(String.init) ?? text
    }
}
