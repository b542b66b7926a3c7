import Foundation
import Sightline

/// Pictures with known objects and their boxes, in COCO's format.
///
/// Format: <https://cocodataset.org/#format-data>: `images` (`id`, `file_name`, `width`, `height`), `categories` (`id`,
/// `name`) and `annotations` (`image_id`, `category_id`, `bbox` as x, y, width and height in pixels, and optionally
/// `area` and `iscrowd`). Everything else is ignored, as are annotations of unlisted pictures or categories.
public struct BoxAnnotations: Sendable {
    /// A picture.
    public struct Picture: Sendable, Hashable {
        /// The picture's number in the file.
        public let id: Int
        /// The picture's path within the folder of pictures.
        public let path: String
        /// The picture's size.
        public let size: PixelSize
    }

    /// A kind of object.
    public struct Category: Sendable, Hashable {
        /// The category's number in the file.
        public let id: Int
        /// The category's name.
        public let name: String
    }

    /// An object in a picture.
    struct Object: Sendable {
        /// The position of the object's picture.
        let picture: Int
        /// The position of the object's category.
        let category: Int
        /// The bounding box in pixels.
        let frame: PixelRect
        /// The area in square pixels, which decides whether the object is small, medium or large.
        let area: Double
        /// Whether the object is a group. Detections inside a group are ignored.
        let isCrowd: Bool
    }

    /// The file's name.
    public let name: String
    /// The pictures, in the order of their numbers.
    public let pictures: [Picture]
    /// The categories, in the order of their numbers.
    public let categories: [Category]
    /// The objects, in the order of the file.
    let objects: [Object]

    /// Creates annotations with the same categories, and with other pictures or objects.
    private init(_ other: BoxAnnotations, pictures: [Picture], objects: [Object]) {
        name = other.name
        categories = other.categories
        self.pictures = pictures
        self.objects = objects
    }

    /// The annotations with other paths of the pictures.
    func renamingPictures(_ path: (String) -> String) -> BoxAnnotations {
        let renamed = pictures.map { Picture(id: $0.id, path: path($0.path), size: $0.size) }
        return BoxAnnotations(self, pictures: renamed, objects: objects)
    }

    /// The annotations with the objects of some pictures only. All pictures stay listed.
    func keepingObjects(where isKept: (_ picture: Int) -> Bool) -> BoxAnnotations {
        BoxAnnotations(self, pictures: pictures, objects: objects.filter { isKept($0.picture) })
    }

    /// Reads a file.
    ///
    /// - Throws: `EvaluationError.unreadable` or `.malformed`.
    public init(contentsOf url: URL) throws(EvaluationError) {
        try self.init(COCOFile.read(url), name: url.lastPathComponent, path: url.path(percentEncoded: false))
    }

    /// Reads the annotations of an archive.
    ///
    /// - Parameters:
    ///   - name: The archive's name.
    ///   - path: The place of the annotations, for messages.
    /// - Throws: `EvaluationError.malformed`, also if there are too many objects or categories.
    init(json: Data, name: String, path: String, limits: AnnotatedPictures.Limits) throws(EvaluationError) {
        let file: COCOFile = try COCOFile.decode(json, path: path)
        for (count, maximum, noun) in [
            (file.images.count, limits.files.maximumPictures, "images"),
            (file.categories.count, limits.maximumCategories, "categories"),
            (file.annotations.count, limits.maximumObjects, "annotations"),
        ] where count > maximum {
            throw .malformed(path: path, reason: "it lists \(count) \(noun), and the limit is \(maximum)")
        }
        let counts = file.annotations.reduce(into: [Int: Int]()) { $0[$1.image_id, default: 0] += 1 }
        if let most = counts.max(by: { $0.value < $1.value }), most.value > limits.maximumObjectsPerPicture {
            throw .malformed(
                path: path,
                reason:
                    "image \(most.key) has \(most.value) annotations, and the limit is \(limits.maximumObjectsPerPicture)"
            )
        }
        try self.init(file, name: name, path: path)
    }

    private init(_ file: COCOFile, name: String, path: String) throws(EvaluationError) {
        func malformed(_ reason: String) -> EvaluationError { .malformed(path: path, reason: reason) }
        self.name = name
        pictures = file.images.sorted { $0.id < $1.id }.map { image in
            let size = PixelSize(width: max(image.width, 0), height: max(image.height, 0))
            return Picture(id: image.id, path: image.file_name ?? "", size: size)
        }
        categories = file.categories.sorted { $0.id < $1.id }.map { Category(id: $0.id, name: $0.name) }
        guard !pictures.isEmpty else { throw malformed("it lists no images") }
        guard !categories.isEmpty else { throw malformed("it lists no categories") }
        for (kind, ids) in [("image", pictures.map(\.id)), ("category", categories.map(\.id))] {
            if let double = zip(ids, ids.dropFirst()).first(where: { $0 == $1 }) {
                throw malformed("the \(kind) id \(double.0) occurs twice")
            }
        }
        let (pictureOf, categoryOf) = (positions(pictures.map(\.id)), positions(categories.map(\.id)))
        var objects: [Object] = []
        for (number, annotation) in file.annotations.enumerated() {
            guard let picture = pictureOf[annotation.image_id], let category = categoryOf[annotation.category_id] else {
                continue
            }
            guard let frame = PixelRect(bbox: annotation.bbox) else {
                throw malformed("annotation \(number) has a bbox that is not four numbers x, y, width, height")
            }
            objects.append(
                Object(
                    picture: picture,
                    category: category,
                    frame: frame,
                    area: annotation.area ?? frame.width * frame.height,
                    isCrowd: annotation.iscrowd?.value ?? false
                )
            )
        }
        self.objects = objects
    }
}

/// The detections of a detector, in COCO's format for results: an array of `image_id`, `category_id`, `bbox` and
/// `score`.
public struct BoxDetections: Sendable {
    /// A detected object.
    struct Box: Sendable {
        /// The position of the object's picture.
        let picture: Int
        /// The position of the object's category; nil if the detector has no categories.
        let category: Int?
        /// The bounding box in pixels.
        let frame: PixelRect
        /// The detector's confidence.
        let score: Double
    }

    /// The file's name.
    let name: String
    let boxes: [Box]

    init(name: String, boxes: [Box]) {
        self.name = name
        self.boxes = boxes
    }

    /// Reads a file. Detections of unlisted categories are ignored, as in `pycocotools`.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - annotations: The annotations with the pictures and categories.
    /// - Throws: `EvaluationError.unreadable`, or `.malformed`, also for pictures that are not listed.
    public init(contentsOf url: URL, for annotations: BoxAnnotations) throws(EvaluationError) {
        let file: [COCOFile.Detection] = try COCOFile.read(url)
        let path = url.path(percentEncoded: false)
        let pictureOf = positions(annotations.pictures.map(\.id))
        let categoryOf = positions(annotations.categories.map(\.id))
        name = url.lastPathComponent
        var boxes: [Box] = []
        for (number, detection) in file.enumerated() {
            guard let picture = pictureOf[detection.image_id] else {
                throw .malformed(
                    path: path,
                    reason: "it has a detection in image \(detection.image_id), which the annotations do not list"
                )
            }
            guard let frame = PixelRect(bbox: detection.bbox), detection.score.isFinite else {
                throw .malformed(path: path, reason: "detection \(number) has a bbox or score that is not a number")
            }
            guard let category = categoryOf[detection.category_id] else { continue }
            boxes.append(Box(picture: picture, category: category, frame: frame, score: detection.score))
        }
        self.boxes = boxes
    }
}

private func positions(_ ids: [Int]) -> [Int: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
}

extension PixelRect {
    /// COCO's `bbox`: x, y, width, height.
    fileprivate init?(bbox: [Double]) {
        guard bbox.count == 4, bbox.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else { return nil }
        self.init(x: bbox[0], y: bbox[1], width: bbox[2], height: bbox[3])
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The files' contents, with the names in the format.
private struct COCOFile: Decodable {
    struct Image: Decodable {
        var id: Int
        var file_name: String?
        var width: Int
        var height: Int
    }

    struct Category: Decodable {
        var id: Int
        var name: String
    }

    struct Annotation: Decodable {
        var image_id: Int
        var category_id: Int
        var bbox: [Double]
        var area: Double?
        var iscrowd: Flag?
    }

    struct Detection: Decodable {
        var image_id: Int
        var category_id: Int
        var bbox: [Double]
        var score: Double
    }

    /// Decodes 0 and 1, or false and true.
    struct Flag: Decodable {
        let value: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try (try? container.decode(Bool.self)) ?? (container.decode(Double.self) != 0)
        }
    }

    var images: [Image]
    var categories: [Category]
    var annotations: [Annotation]

    private static let maximumBytes = 1 << 30

    static func read<Content: Decodable>(_ url: URL) throws(EvaluationError) -> Content {
        let path = url.path(percentEncoded: false)
        let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
        guard let values, values.isRegularFile == true else {
            throw .unreadable(path: path, reason: "there is no such file")
        }
        guard (values.fileSize ?? 0) <= maximumBytes else {
            throw .unreadable(path: path, reason: "it has more than \(maximumBytes) bytes")
        }
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path: path, reason: "permission is denied")
        }
        return try decode(data, path: path)
    }

    static func decode<Content: Decodable>(_ data: Data, path: String) throws(EvaluationError) -> Content {
        do {
            return try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw .malformed(path: path, reason: reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context)) lacks \"\(key.stringValue)\""
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\(place(context)) has the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(place(context)) cannot be used"
        default:
            "it is not valid JSON"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return path.isEmpty ? "the file" : path.hasPrefix(".") ? String(path.dropFirst()) : path
    }
}
