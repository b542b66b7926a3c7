import Sightline

/// Compares detected boxes or masks with known ones by COCO's rules.
///
/// Source: COCO's evaluation (<https://cocodataset.org/#detection-eval>) as implemented in `pycocotools` 2.0.11. The
/// hundred best detections of each picture and category count. In the order of its score, each detection is matched to
/// the free object that it overlaps most, at ten IoU thresholds. Matches with crowds, and with objects outside a range
/// of areas, are ignored. Precision is taken at 101 recalls. (There is one difference: `pycocotools` treats a match
/// with an annotation whose id is 0 as no match.)
struct BoxScoring {
    /// IoU .50, .55 … .95.
    static let overlaps = (0..<10).map { 0.5 + Double($0) * 0.05 }
    /// Recall 0, .01 … 1.
    static let recalls = (0...100).map { Double($0) * 0.01 }
    /// The numbers of detections per picture and category that count.
    static let maximumCounts = [1, 10, 100]

    /// A range of object areas in square pixels.
    struct AreaRange: Sendable {
        let lower: Double
        let upper: Double

        func excludes(_ area: Double) -> Bool { area < lower || area > upper }

        static let all = AreaRange(lower: 0, upper: 1e10)
        static let small = AreaRange(lower: 0, upper: 1024)
        static let medium = AreaRange(lower: 1024, upper: 9216)
        static let large = AreaRange(lower: 9216, upper: 1e10)
    }

    /// The objects and detections of a picture and a category, or of all categories.
    struct Group: Sendable {
        let picture: Int
        /// Positions in the annotations' objects.
        var objects: [Int] = []
        /// Positions in the detections' boxes; after the initialization of ``BoxScoring`` the hundred best, best first.
        var boxes: [Int] = []
    }

    /// The results for the detections of a group.
    struct Matches: Sendable {
        /// For each detection a bit per IoU threshold: whether it has a match.
        var matched: [UInt16]
        /// For each detection a bit per IoU threshold: whether it is ignored.
        var ignored: [UInt16]
        /// For each object its detection at the first IoU threshold, by position in the group; −1 if there is no
        /// detection.
        var boxOfObject: [Int]
        /// The number of objects that count.
        var wantedCount: Int
    }

    let objects: [BoxAnnotations.Object]
    let boxes: [BoxDetections.Box]
    /// The groups of each category, in the order of pictures.
    let groups: [[Group]]
    /// Whether key points are compared instead of boxes.
    let comparesKeypoints: Bool
    private let comparesMasks: Bool

    /// - Parameter ignoresCategories: Whether all categories are merged.
    init(_ annotations: BoxAnnotations, _ detections: BoxDetections, ignoresCategories: Bool) {
        let count = ignoresCategories ? 1 : annotations.categories.count
        var tables = [[Int: Group]](repeating: [:], count: count)
        // Even with merged categories, objects and detections stay in the order of their categories.
        let (objects, boxes) = (annotations.objects, detections.boxes)
        let objectOrder = objects.indices.sorted { (objects[$0].category, $0) < (objects[$1].category, $1) }
        let boxOrder = boxes.indices.sorted {
            (boxes[$0].category ?? .max, -boxes[$0].score, $0) < (boxes[$1].category ?? .max, -boxes[$1].score, $1)
        }
        for index in objectOrder {
            let object = objects[index]
            tables[ignoresCategories ? 0 : object.category][
                object.picture,
                default: Group(picture: object.picture)
            ].objects.append(index)
        }
        for index in boxOrder {
            let box = boxes[index]
            guard let category = ignoresCategories ? 0 : box.category else { continue }
            tables[category][box.picture, default: Group(picture: box.picture)].boxes.append(index)
        }
        (self.objects, self.boxes) = (objects, boxes)
        comparesKeypoints = annotations.comparesKeypoints
        let maximumCount = comparesKeypoints ? KeypointSimilarity.maximumCount : Self.maximumCounts[2]
        comparesMasks = annotations.hasMasks
        groups = tables.map { table in
            table.values.sorted { $0.picture < $1.picture }.map { group in
                var group = group
                if ignoresCategories {
                    // Stable: for equal scores the order of the categories decides.
                    let places = group.boxes.indices.sorted {
                        (-boxes[group.boxes[$0]].score, $0) < (-boxes[group.boxes[$1]].score, $1)
                    }
                    group.boxes = places.map { group.boxes[$0] }
                }
                group.boxes = Array(group.boxes.prefix(maximumCount))
                return group
            }
        }
    }

    /// The IoU of each detection (row) of a group with each object. For a crowd it is the share of the detection inside
    /// the crowd.
    func overlaps(_ group: Group) -> [Double] {
        if comparesKeypoints {
            return KeypointSimilarity.similarities(group.boxes.map { boxes[$0] }, group.objects.map { objects[$0] })
        }
        if comparesMasks { return maskOverlaps(group) }
        var result = [Double](repeating: 0, count: group.boxes.count * group.objects.count)
        var place = 0
        for box in group.boxes {
            let found = boxes[box].frame
            for object in group.objects {
                let known = objects[object].frame
                let width = min(found.maxX, known.maxX) - max(found.x, known.x)
                let height = min(found.maxY, known.maxY) - max(found.y, known.y)
                if width > 0, height > 0 {
                    let shared = width * height
                    let area = found.width * found.height
                    let union = objects[object].isCrowd ? area : area + known.width * known.height - shared
                    result[place] = shared / union
                }
                place += 1
            }
        }
        return result
    }

    /// The IoU of the masks, as ``overlaps(_:)``; 0 for pictures of different sizes.
    private func maskOverlaps(_ group: Group) -> [Double] {
        let known = group.objects.map { (mask: objects[$0].mask, bounds: objects[$0].mask?.bounds) }
        return group.boxes.flatMap { box -> [Double] in
            guard let found = boxes[box].mask else { return known.map { _ in 0 } }
            let (bounds, area) = (found.bounds, found.area)
            return zip(group.objects, known).map { object, known in
                guard let mask = known.mask, known.bounds?.intersection(bounds) != nil,
                    let shared = found.intersection(mask), shared > 0
                else { return 0 }
                let either = objects[object].isCrowd ? area : area + mask.area - shared
                return Double(shared) / Double(either)
            }
        }
    }

    /// Matches the detections of a group at all IoU thresholds.
    func matches(_ group: Group, overlaps: [Double], in range: AreaRange) -> Matches {
        let objectCount = group.objects.count
        let isIgnored = group.objects.map { index in
            let object = objects[index]
            return object.isCrowd || range.excludes(object.area) || comparesKeypoints && object.labeledPoints == 0
        }
        // Objects that count come first.
        let order = group.objects.indices.filter { !isIgnored[$0] } + group.objects.indices.filter { isIgnored[$0] }
        var result = Matches(
            matched: [UInt16](repeating: 0, count: group.boxes.count),
            ignored: [UInt16](repeating: 0, count: group.boxes.count),
            boxOfObject: [Int](repeating: -1, count: objectCount),
            wantedCount: isIgnored.count { !$0 }
        )
        var taken = [Bool](repeating: false, count: objectCount)
        for (level, overlap) in Self.overlaps.enumerated() where objectCount > 0 {
            for index in taken.indices { taken[index] = false }
            for place in group.boxes.indices {
                var best = overlap
                var match = -1
                for object in order {
                    if taken[object], !objects[group.objects[object]].isCrowd { continue }
                    if match >= 0, !isIgnored[match], isIgnored[object] { break }
                    let value = overlaps[place * objectCount + object]
                    if value < best { continue }
                    best = value
                    match = object
                }
                guard match >= 0 else { continue }
                taken[match] = true
                result.matched[place] |= 1 << UInt16(level)
                if isIgnored[match] { result.ignored[place] |= 1 << UInt16(level) }
                if level == 0 { result.boxOfObject[match] = place }
            }
        }
        for (place, box) in group.boxes.enumerated()
        where range.excludes(boxes[box].area) {
            result.ignored[place] |= ~result.matched[place]
        }
        return result
    }
}
