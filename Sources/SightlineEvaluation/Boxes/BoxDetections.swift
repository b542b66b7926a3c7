import Foundation
import Sightline

/// The detections of a detector, in COCO's format for results: an array of `image_id`, `category_id`, `bbox` or `keypoints`, and
/// `score` from 0 to 1.
///
/// A score of −1 means that the detector has none, as in MOTChallenge; such a detection counts as certain.
public struct BoxDetections: Sendable {
    /// A detected object.
    package struct Box: Sendable {
        /// The position of the object's picture.
        package let picture: Int
        /// The position of the object's category; nil if the detector has no categories.
        package let category: Int?
        /// The bounding box in pixels.
        package let frame: PixelRect
        /// The detector's confidence.
        package let score: Double
        /// The key points: x, y in pixels and a confidence of each; empty without key points.
        package let keypoints: [Double]
        /// The area in square pixels, which decides whether a detection without an object is small, medium or large.
        package let area: Double
        /// The pixels of the object; nil if boxes are compared.
        package let mask: COCOMask?

        /// - Parameters:
        ///   - picture: The position of the object's picture.
        ///   - category: The position of the object's category.
        ///   - frame: The bounding box in pixels.
        ///   - score: The detector's confidence.
        ///   - keypoints: The key points: x, y and confidence of each.
        ///   - area: The area in square pixels; nil for that of the mask or box.
        ///   - mask: The pixels of the object; nil if boxes are compared.
        package init(
            picture: Int,
            category: Int?,
            frame: PixelRect,
            score: Double,
            keypoints: [Double] = [],
            area: Double? = nil,
            mask: COCOMask? = nil
        ) {
            (self.picture, self.category, self.frame, self.score) = (picture, category, frame, score)
            self.keypoints = keypoints
            (self.area, self.mask) = (area ?? mask.map { Double($0.area) } ?? frame.width * frame.height, mask)
        }
    }

    /// The file's name.
    let name: String
    let boxes: [Box]
    /// The number of detections without a score.
    public let unscoredCount: Int

    package init(name: String, boxes: [Box]) {
        self.name = name
        self.boxes = boxes
        unscoredCount = 0
    }

    /// Reads a file. Detections of unlisted categories are ignored, as in `pycocotools`.
    ///
    /// For annotations with masks, the `segmentation` of a detection counts, or else its box. As in `pycocotools`, the area of a detection is
    /// that of its box if the first detection has one, and otherwise that of its mask.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - annotations: The annotations with the pictures and categories.
    /// - Throws: `EvaluationError.unreadable`, or `.malformed`, also for pictures that are not listed.
    public init(contentsOf url: URL, for annotations: BoxAnnotations) throws(EvaluationError) {
        let document: COCODocument<[COCOFile.Detection]> = try COCODocument(contentsOf: url)
        let pictureOf = positions(annotations.pictures.map(\.id))
        let categoryOf = positions(annotations.categories.map(\.id))
        name = url.lastPathComponent
        let hasMasks = annotations.hasMasks
        let outlines =
            hasMasks
            ? try COCODocument<[COCOSegmentations.Item]>(document.data, path: document.path).content : []
        let areBoxes = document.content.first?.bbox?.isEmpty == false
        var (boxes, unscored) = ([Box](), 0)
        for (number, detection) in document.content.enumerated() {
            guard let picture = pictureOf[detection.image_id] else {
                throw .malformed(
                    path: document.path,
                    reason: "[\(number)] is in image \(detection.image_id), which the annotations do not list"
                )
            }
            let keypoints = detection.keypoints ?? []
            guard keypoints.count.isMultiple(of: 3), keypoints.allSatisfy({ $0.magnitude < 1e9 }) else {
                throw document.wrongValue(at: nil, number, "keypoints")
            }
            if annotations.comparesKeypoints, keypoints.isEmpty {
                throw .malformed(path: document.path, reason: "[\(number)] lacks \"keypoints\", which are compared")
            }
            var mask: COCOMask?
            let size = annotations.pictures[picture].size
            if hasMasks, let outline = outlines[number].segmentation {
                guard let pixels = outline.mask(in: size) else {
                    throw document.wrongValue(at: nil, number, "segmentation")
                }
                mask = pixels
            }
            let given = detection.bbox.flatMap { $0.isEmpty && mask != nil ? nil : $0 }
            let bounds = (mask?.bounds ?? PixelRect(keypoints: keypoints)).map { [$0.x, $0.y, $0.width, $0.height] }
            guard let frame = PixelRect(bbox: try document.required(given ?? bounds, at: nil, number, "bbox")) else {
                throw document.wrongValue(at: nil, number, "bbox")
            }
            if hasMasks, mask == nil { mask = COCOMask(polygon: frame.corners, size: size) }
            let isUnscored = detection.score == -1
            guard isUnscored || (0...1).contains(detection.score) else {
                throw document.wrongValue(at: nil, number, "score")
            }
            guard let category = categoryOf[detection.category_id] else { continue }
            if isUnscored { unscored += 1 }
            boxes.append(
                Box(
                    picture: picture,
                    category: category,
                    frame: frame,
                    score: isUnscored ? 1 : detection.score,
                    keypoints: keypoints,
                    area: areBoxes ? frame.width * frame.height : nil,
                    mask: mask
                )
            )
        }
        self.boxes = boxes
        unscoredCount = unscored
    }
}
