import Foundation
import Sightline

/// Pictures with known objects and their boxes, in COCO's format.
///
/// Format: <https://cocodataset.org/#format-data>: `images` (`id`, `file_name`, `width`, `height`), `categories` (`id`,
/// `name`) and `annotations` (`image_id`, `category_id`, `bbox` as x, y, width and height in pixels, and optionally
/// `area`, `iscrowd` and `keypoints`). If masks are asked for, also `segmentation`: polygons or runs. Everything else is ignored,
/// as are annotations of unlisted pictures or categories.
public struct BoxAnnotations: Sendable {
    /// A picture.
    public struct Picture: Sendable, Hashable {
        /// The picture's number in the file.
        public let id: Int
        /// The picture's path within the folder of pictures.
        public let path: String
        /// The picture's size.
        public let size: PixelSize

        package init(id: Int, path: String, size: PixelSize) { (self.id, self.path, self.size) = (id, path, size) }
    }

    /// A kind of object.
    public struct Category: Sendable, Hashable {
        /// The category's number in the file.
        public let id: Int
        /// The category's name.
        public let name: String
        /// The names of the key points of its objects, in the order of the file; empty without key points.
        public let keypoints: [String]

        package init(id: Int, name: String, keypoints: [String] = []) {
            (self.id, self.name, self.keypoints) = (id, name, keypoints)
        }
    }

    /// An object in a picture.
    package struct Object: Sendable {
        /// The position of the object's picture.
        package let picture: Int
        /// The position of the object's category.
        package let category: Int
        /// The bounding box in pixels.
        package let frame: PixelRect
        /// The area in square pixels, which decides whether the object is small, medium or large.
        package let area: Double
        /// Whether the object is a group. Detections inside a group are ignored.
        package let isCrowd: Bool
        /// The key points: x, y in pixels and the visibility of each, 0 for a point that was not drawn; empty without key points.
        package let keypoints: [Double]
        /// The pixels of the object; nil if masks were not asked for.
        package let mask: COCOMask?

        /// - Parameters:
        ///   - picture: The position of the object's picture.
        ///   - category: The position of the object's category.
        ///   - frame: The bounding box in pixels.
        ///   - mask: The pixels of the object; nil if masks were not asked for.
        package init(
            picture: Int,
            category: Int,
            frame: PixelRect,
            area: Double,
            isCrowd: Bool,
            keypoints: [Double] = [],
            mask: COCOMask? = nil
        ) {
            (self.picture, self.category, self.frame, self.area, self.isCrowd) = (
                picture, category, frame, area, isCrowd
            )
            (self.keypoints, self.mask) = (keypoints, mask)
        }
    }

    /// The file's name.
    public let name: String
    /// The pictures, in the order of their numbers.
    public let pictures: [Picture]
    /// The categories, in the order of their numbers.
    public let categories: [Category]
    /// The objects, in the order of the file.
    package let objects: [Object]
    /// Whether key points are compared instead of boxes.
    var comparesKeypoints = false
    /// Whether objects have masks, by which they are compared.
    public let hasMasks: Bool

    /// Creates annotations with the same categories, and with other pictures or objects.
    private init(_ other: BoxAnnotations, pictures: [Picture], objects: [Object]) {
        name = other.name
        categories = other.categories
        comparesKeypoints = other.comparesKeypoints
        hasMasks = other.hasMasks
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
    /// - Parameters:
    ///   - url: The file.
    ///   - masks: Whether objects are compared by their masks, so that each needs a `segmentation`.
    /// - Throws: `EvaluationError.unreadable` or `.malformed`.
    public init(contentsOf url: URL, masks: Bool = false) throws(EvaluationError) {
        try self.init(COCODocument(contentsOf: url), name: url.lastPathComponent, masks: masks)
    }

    /// Reads the annotations of an archive.
    ///
    /// - Parameters:
    ///   - name: The archive's name.
    ///   - path: The place of the annotations, for messages.
    /// - Throws: `EvaluationError.malformed`, also if there are too many objects or categories.
    init(
        json: Data,
        name: String,
        path: String,
        limits: AnnotatedPictures.Limits,
        masks: Bool
    ) throws(EvaluationError) {
        let document: COCODocument<COCOFile> = try COCODocument(json, path: path)
        let file = document.content
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
        try self.init(document, name: name, masks: masks)
    }

    /// Creates annotations of another format.
    package init(
        name: String,
        pictures: [Picture],
        categories: [Category],
        objects: [Object],
        hasMasks: Bool = false
    ) {
        (self.name, self.pictures, self.categories, self.objects) = (name, pictures, categories, objects)
        self.hasMasks = hasMasks
    }

    private init(_ document: COCODocument<COCOFile>, name: String, masks: Bool) throws(EvaluationError) {
        let file = document.content
        hasMasks = masks
        let outlines =
            masks ? try COCODocument<COCOSegmentations>(document.data, path: document.path).content.annotations : []
        func malformed(_ reason: String) -> EvaluationError { .malformed(path: document.path, reason: reason) }
        self.name = name
        var pictures: [Picture] = []
        for (number, image) in file.images.enumerated() {
            let size = PixelSize(
                width: max(try document.required(image.width, at: "images", number, "width"), 0),
                height: max(try document.required(image.height, at: "images", number, "height"), 0)
            )
            pictures.append(Picture(id: image.id, path: image.file_name ?? "", size: size))
        }
        pictures.sort { $0.id < $1.id }
        self.pictures = pictures
        categories = file.categories.sorted { $0.id < $1.id }.map {
            Category(id: $0.id, name: $0.name, keypoints: $0.keypoints ?? [])
        }
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
            var mask: COCOMask?
            if masks {
                let outline = try document.required(
                    outlines[number].segmentation,
                    at: "annotations",
                    number,
                    "segmentation"
                )
                guard let pixels = outline.mask(in: pictures[picture].size) else {
                    throw document.wrongValue(at: "annotations", number, "segmentation")
                }
                mask = pixels
            }
            let bounds = mask.map { [$0.bounds.x, $0.bounds.y, $0.bounds.width, $0.bounds.height] }
            let box = try document.required(annotation.bbox ?? bounds, at: "annotations", number, "bbox")
            guard let frame = PixelRect(bbox: box) else {
                throw document.wrongValue(at: "annotations", number, "bbox")
            }
            let keypoints = annotation.keypoints ?? []
            guard keypoints.count.isMultiple(of: 3), keypoints.allSatisfy({ $0.magnitude < 1e9 }) else {
                throw document.wrongValue(at: "annotations", number, "keypoints")
            }
            objects.append(
                Object(
                    picture: picture,
                    category: category,
                    frame: frame,
                    area: annotation.area ?? mask.map { Double($0.area) } ?? frame.width * frame.height,
                    isCrowd: annotation.iscrowd?.value ?? false,
                    keypoints: keypoints,
                    mask: mask
                )
            )
        }
        self.objects = objects
    }
}

/// The positions of ids.
func positions(_ ids: [Int]) -> [Int: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
}

extension PixelRect {
    /// COCO's `bbox`: x, y, width, height.
    init?(bbox: [Double]) {
        guard bbox.count == 4, bbox.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else { return nil }
        self.init(x: bbox[0], y: bbox[1], width: bbox[2], height: bbox[3])
    }
}
