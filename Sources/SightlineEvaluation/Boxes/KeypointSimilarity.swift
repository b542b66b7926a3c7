import Foundation
import Sightline

/// COCO's similarity of key points, OKS: how near the points of a detection are to those of an object, 0…1.
///
/// Source: <https://cocodataset.org/#keypoints-eval> as implemented in `pycocotools` 2.0.11. A distance counts by the area of the object and
/// by a constant of each point, twice the standard deviation of what people drew. COCO publishes these for the 17 points of bodies. For any
/// other number of points, the deviation of each is 1 / number, as Ultralytics measures them.
struct KeypointSimilarity: Sendable {
    /// The standard deviations that COCO publishes for its 17 points.
    private static let bodyDeviations = [
        0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087, 0.089,
        0.089,
    ]

    /// The number of detections of a picture and category that count.
    static let maximumCount = 20

    private static func deviation(of index: Int, among count: Int) -> Double {
        count == bodyDeviations.count ? bodyDeviations[index] : 1 / Double(count)
    }

    /// The similarity of each detection (row) with each object; 0 where they have other points.
    static func similarities(_ boxes: [BoxDetections.Box], _ objects: [BoxAnnotations.Object]) -> [Double] {
        boxes.flatMap { box in objects.map { similarity(box, $0) } }
    }

    private static func similarity(_ box: BoxDetections.Box, _ object: BoxAnnotations.Object) -> Double {
        let (found, known) = (box.keypoints, object.keypoints)
        guard !known.isEmpty, found.count == known.count else { return 0 }
        let count = known.count / 3
        let isLabeled = object.labeledPoints > 0
        let (frame, area) = (object.frame, object.area + Double.ulpOfOne)
        var sum = 0.0
        for index in 0..<count {
            let (x, y) = (found[3 * index], found[3 * index + 1])
            let (dx, dy): (Double, Double)
            if isLabeled {
                guard known[3 * index + 2] > 0 else { continue }
                (dx, dy) = (x - known[3 * index], y - known[3 * index + 1])
            } else {
                // Without labeled points, those far beyond twice the box are other objects'.
                dx = max(0, frame.x - frame.width - x) + max(0, x - (frame.x + 2 * frame.width))
                dy = max(0, frame.y - frame.height - y) + max(0, y - (frame.y + 2 * frame.height))
            }
            let spread = 2 * deviation(of: index, among: count)
            sum += exp(-(dx * dx + dy * dy) / (spread * spread) / area / 2)
        }
        return sum / Double(isLabeled ? object.labeledPoints : count)
    }
}

extension BoxAnnotations {
    /// The annotations, for a comparison of key points instead of boxes.
    ///
    /// - Throws: `EvaluationError.malformed` if no object has key points.
    public func comparingKeypoints() throws(EvaluationError) -> BoxAnnotations {
        guard objects.contains(where: { $0.labeledPoints > 0 }) else {
            throw .malformed(path: name, reason: "no object has keypoints; compare boxes instead")
        }
        var annotations = self
        annotations.comparesKeypoints = true
        return annotations
    }
}

extension AnnotatedPictures {
    /// The pictures, for a comparison of key points instead of boxes.
    ///
    /// - Throws: `EvaluationError.malformed` if no object has key points.
    public func comparingKeypoints() throws(EvaluationError) -> AnnotatedPictures {
        var pictures = self
        pictures.annotations = try annotations.comparingKeypoints()
        return pictures
    }
}

extension BoxAnnotations.Object {
    /// The number of points that were drawn.
    var labeledPoints: Int { stride(from: 2, to: keypoints.count, by: 3).count { keypoints[$0] > 0 } }
}

extension BoxCategories {
    /// The numbers of an object's points, in the order of a category: x, y and confidence, zeros for a point that the object has not.
    ///
    /// A category without names of its points has the order of the model.
    static func keypoints(of object: DetectedObject, in category: BoxAnnotations.Category?) -> [Double] {
        guard let points = object.points, let category else { return [] }
        func numbers(_ point: ObjectPoint?) -> [Double] {
            point.map { [$0.position.x, $0.position.y, Double($0.confidence ?? 1)] } ?? [0, 0, 0]
        }
        guard !category.keypoints.isEmpty else { return points.flatMap { numbers($0) } }
        let known = Dictionary(points.map { ($0.name.key, $0) }) { first, _ in first }
        return category.keypoints.flatMap { numbers(known[ObjectPoint.Name(rawValue: $0).key]) }
    }
}

extension PixelRect {
    /// The rectangle around key points, as `pycocotools` takes it for the box of a detection without one; nil without points.
    init?(keypoints: [Double]) {
        let columns = stride(from: 0, to: keypoints.count, by: 3).map { keypoints[$0] }
        let rows = stride(from: 1, to: keypoints.count, by: 3).map { keypoints[$0] }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return nil
        }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}
