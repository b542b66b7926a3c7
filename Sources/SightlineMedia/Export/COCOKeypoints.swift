import Sightline
import TextFormatting

/// The named points of the objects of a category, as COCO describes them (cocodataset.org, "Keypoint Detection").
///
/// All objects of a category have the same points, so the first object with points decides.
struct COCOKeypoints {
    /// The names of the points, in the order of all annotations.
    let names: [ObjectPoint.Name]

    /// The points of the category of an object; nil if the object has no points.
    init?(_ object: DetectedObject) {
        guard let points = object.points, !points.isEmpty else { return nil }
        names = points.map(\.name)
        guard Set(names).count == names.count else { return nil }
    }

    /// The numbers of an object: x, y and 2 for each confident point, and 1 for each other one; nil if the object has other points.
    func numbers(of object: DetectedObject) -> [Double]? {
        guard let points = object.points, points.count == names.count else { return nil }
        let known = Dictionary(points.map { ($0.name, $0) }) { first, _ in first }
        var numbers: [Double] = []
        for name in names {
            guard let point = known[name] else { return nil }
            numbers += [point.position.x, point.position.y, point.isConfident ? 2 : 1]
        }
        return numbers
    }

    /// The names and the skeleton, with positions counted from 1.
    func append(to json: inout JSONText) {
        json.field("keypoints") { $0.array(names) { $0.string($1.cocoName) } }
        json.field("skeleton") { json in
            json.array(ObjectPoint.Name.bones(among: names)) { json, bone in
                json.array([bone.start + 1, bone.end + 1]) { $0.number($1) }
            }
        }
    }
}

extension JSONText {
    /// The points of an annotation, and how many there are.
    mutating func keypoints(_ numbers: [Double]) {
        field("keypoints") { $0.array(numbers) { $0.number($1) } }
        field("num_keypoints") { $0.number(numbers.count / 3) }
    }
}
