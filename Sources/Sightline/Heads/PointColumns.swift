import TensorFlowLite

/// The named points among the numbers of a box in the output of a YOLO model for poses: x, y and, in most models, the confidence of each.
///
/// The metadata of Ultralytics' exporter gives their number as `kpt_shape`, and newer ones their names as `kpt_names`. Without names, 17
/// points are those of COCO's bodies, and others are called `point1`, `point2` and so on.
struct PointColumns: Sendable, Hashable {
    /// The names of the points, in their order.
    let names: [ObjectPoint.Name]
    /// Whether a point has a confidence.
    private let hasConfidence: Bool

    /// COCO's bodies: 17 points of x, y and confidence.
    static let bodyNumbers = 3 * ObjectPoint.Name.body.count
    /// The largest number of points.
    private static let maximumCount = 1024

    /// - Parameters:
    ///   - count: the numbers of a box behind its class.
    ///   - metadata: the description in the file; nil if there is none.
    /// - Returns: nil if so many numbers are not those of points.
    init?(count: Int, _ metadata: UltralyticsMetadata?) {
        let shape = metadata?.pointShape ?? .init(count: count / 3, numbers: 3)
        guard (1...Self.maximumCount).contains(shape.count), [2, 3].contains(shape.numbers),
            shape.count * shape.numbers == count
        else { return nil }
        hasConfidence = shape.numbers == 3
        if let given = metadata?.pointNames, given.count == shape.count, Set(given).count == given.count {
            names = given.map(ObjectPoint.Name.init(foreign:))
        } else if shape.count == ObjectPoint.Name.body.count {
            names = ObjectPoint.Name.body
        } else {
            names = (1...shape.count).map { ObjectPoint.Name(rawValue: "point\($0)") }
        }
    }

    /// The points of a box.
    ///
    /// - Parameters:
    ///   - scale: the factors that make fractions of the input from x and y.
    ///   - number: returns one of the numbers, counted from the first of the first point.
    /// - Returns: nil if a number is not finite.
    func points(scale: (x: Float, y: Float), number: (Int) -> Float) -> [CandidatePoint]? {
        var points: [CandidatePoint] = []
        points.reserveCapacity(names.count)
        for (index, name) in names.enumerated() {
            let first = index * (hasConfidence ? 3 : 2)
            let (x, y) = (number(first) * scale.x, number(first + 1) * scale.y)
            let confidence = hasConfidence ? number(first + 2) : nil
            guard x.isFinite, y.isFinite, confidence?.isFinite ?? true else { return nil }
            points.append(CandidatePoint(name: name, x: x, y: y, confidence: confidence.map { min(max($0, 0), 1) }))
        }
        return points
    }
}
