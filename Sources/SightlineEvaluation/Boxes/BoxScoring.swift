import Sightline

/// Compares found boxes with the known ones, as COCO counts.
///
/// Source: COCO's evaluation (<https://cocodataset.org/#detection-eval>) as `pycocotools` 2.0.11 does it, in all its details: of each
/// picture and category the hundred best detections, each matched in the order of its score to the object that it overlaps most
/// and that is still free, at ten overlaps; crowds, and objects outside a range of areas, take matches that then count neither way;
/// precision at 101 recalls. (It differs in one: `pycocotools` takes a match with an annotation whose id is 0 for none.)
struct BoxScoring {
    /// IoU .50, .55 … .95.
    static let overlaps = (0..<10).map { 0.5 + Double($0) * 0.05 }
    /// Recall 0, .01 … 1.
    static let recalls = (0...100).map { Double($0) * 0.01 }
    /// How many detections of a picture and category count.
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

    /// The objects and detections of one picture and one category, or of all.
    struct Group: Sendable {
        let picture: Int
        /// Positions in the annotations' objects.
        var objects: [Int] = []
        /// Positions in the detections' boxes; once ``BoxScoring`` is made, the hundred best, the best first.
        var boxes: [Int] = []
    }

    /// What became of the detections of a group.
    struct Matches: Sendable {
        /// For each detection a bit per overlap: whether it has a match.
        var matched: [UInt16]
        /// For each detection a bit per overlap: whether it counts neither way.
        var ignored: [UInt16]
        /// For each object its detection at the first overlap, by place in the group; −1 for none.
        var boxOfObject: [Int]
        /// Objects that count.
        var wantedCount: Int
    }

    let objects: [BoxAnnotations.Object]
    let boxes: [BoxDetections.Box]
    /// The groups of each category, in the order of pictures.
    let groups: [[Group]]

    /// - Parameter ignoresCategories: whether all categories are one.
    init(_ annotations: BoxAnnotations, _ detections: BoxDetections, ignoresCategories: Bool) {
        let count = ignoresCategories ? 1 : annotations.categories.count
        var tables = [[Int: Group]](repeating: [:], count: count)
        // With all categories as one, objects and detections still stand in the order of their categories.
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
        groups = tables.map { table in
            table.values.sorted { $0.picture < $1.picture }.map { group in
                var group = group
                if ignoresCategories {
                    // Stable: of equal scores the category's order decides.
                    let places = group.boxes.indices.sorted {
                        (-boxes[group.boxes[$0]].score, $0) < (-boxes[group.boxes[$1]].score, $1)
                    }
                    group.boxes = places.map { group.boxes[$0] }
                }
                group.boxes = Array(group.boxes.prefix(Self.maximumCounts[2]))
                return group
            }
        }
    }

    /// The overlap of each detection (row) of a group with each object. A crowd's is the share of the detection inside it.
    func overlaps(_ group: Group) -> [Double] {
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

    /// Matches the detections of a group at all overlaps.
    func matches(_ group: Group, overlaps: [Double], in range: AreaRange) -> Matches {
        let objectCount = group.objects.count
        let isIgnored = group.objects.map { objects[$0].isCrowd || range.excludes(objects[$0].area) }
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
        where range.excludes(boxes[box].frame.width * boxes[box].frame.height) {
            result.ignored[place] |= ~result.matched[place]
        }
        return result
    }
}
