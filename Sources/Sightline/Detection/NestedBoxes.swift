/// One box for one thing: lowers the confidence of boxes inside boxes, which suppression by intersection over union leaves.
///
/// Three kinds of boxes are doubtful:
/// * a *group*: a box that holds at least two others that are as confident as itself and do not lie on each other;
/// * a *part*: a box that lies inside a more confident box that is not a group;
/// * a *surrounding*: a box without a kind around one that has one and fills a good part of it.
///
/// A doubtful box keeps a part of its confidence, a surrounding a larger one. So a weak one falls below the threshold, and a sure one
/// stays, since a cup can stand on a table. Lowering a confidence instead of dropping the box follows N. Bodla et al., "Soft-NMS: Improving Object Detection
/// With One Line of Code", 2017.
///
/// ``NonMaximumSuppression`` has dropped one of two boxes before, if one comes from the overview, both have the same likeliest kind, and one
/// lies inside the other.
/// A box without a kind is doubted because of any other box, since a part and its whole look alike; such are the boxes of the built-in
/// detector that it does not name. Boxes with kinds doubt only boxes of their own kind: a person on a horse is two things.
///
/// Only the built-in models have such boxes. Other models keep their confidences, which are those that the network's own program shows:
/// to lower them to 0.8 inside boxes of the same kind changed the AP of YOLOX-Nano and NanoDet-Plus by +.0003 and −.0008, and gave one box
/// in twelve another confidence than elsewhere. Google's localizer, whose boxes inside boxes are more often right, would lose .02 of AP.
///
/// The shares were chosen among a few on 167 photos of COCO, 0.65 with the localizer that was built in before: its AP at IoU .50 for objects
/// over 5 % of the picture stayed, 0.8 gained .006 and left twice as many such boxes, 0.5 lost .005, and dropping them all would cost .08.
/// Of 49 boxes that the built-in detector shows as
/// surroundings in 1,600 photos, 27 % are right, of other boxes without a name 36 %.
enum NestedBoxes {
    /// The share of a box's area that has to lie inside another box.
    static let insideShare: Float = 0.85
    /// The share of its confidence that a doubtful box keeps.
    static let keptShareOfAnything: Float = 0.65
    /// The share of its confidence that a surrounding keeps: the whole of a thing may be around the part that has the name.
    static let keptShareOfSurroundings: Float = 0.75
    /// The share of a surrounding that the box with a kind fills at least: a flower in a bunch says nothing about the bunch.
    static let filledShare = 0.3
    /// The largest number of boxes that are compared. Less confident boxes are not doubted.
    private static let maximumCount = NonMaximumSuppression.maximumCandidates

    /// The objects, most confident first, with the confidence of doubtful boxes lowered.
    ///
    /// - Parameters:
    ///   - objects: the objects, most confident first.
    ///   - keptShare: the share of its confidence that a doubtful box keeps.
    ///   - kind: the kind that distinguishes an object from others; nil for an object of no known kind, which all others doubt.
    /// - Complexity: O(n · (log n + k)) for n objects, of which k have their center between the left and right edges of one.
    static func doubted(
        _ objects: [DetectedObject],
        keptShare: Float,
        kind: (DetectedObject) -> Int?
    ) -> [DetectedObject] {
        // Boxes without the rest of their objects are compared quickly.
        let boxes = objects.prefix(maximumCount).map {
            Box(frame: $0.frame, confidence: $0.objectConfidence, kind: kind($0))
        }
        let centers = Centers(boxes)
        let isGroup = boxes.map { outer in
            var held: [Int] = []
            centers.forEach(in: outer.frame) { place in
                let inner = boxes[place]
                if inner.confidence >= outer.confidence, outer.isDoubted(by: inner), inner.lies(in: outer) {
                    held.append(place)
                }
            }
            guard let first = held.min() else { return false }
            return held.contains { boxes[$0].frame.intersectionOverSmaller(boxes[first].frame) < 0.5 }
        }
        var isDoubtful = isGroup
        for (place, outer) in boxes.enumerated() where !isGroup[place] {
            centers.forEach(in: outer.frame) { inner in
                if inner > place, !isDoubtful[inner], boxes[inner].isDoubted(by: outer), boxes[inner].lies(in: outer) {
                    isDoubtful[inner] = true
                }
            }
        }
        /// Whether a box of no kind is little more than the surroundings of one that has a kind.
        func surroundsAnother(_ outer: Box) -> Bool {
            var surrounds = false
            centers.forEach(in: outer.frame) { place in
                let inner = boxes[place]
                if inner.kind != nil, inner.lies(in: outer), inner.frame.area >= filledShare * outer.frame.area {
                    surrounds = true
                }
            }
            return surrounds
        }
        var doubted = objects
        for (place, box) in boxes.enumerated() {
            if isDoubtful[place] {
                doubted[place].objectConfidence *= keptShare
            } else if box.kind == nil, surroundsAnother(box) {
                doubted[place].objectConfidence *= max(keptShareOfSurroundings, keptShare)
            }
        }
        return doubted.sorted { $0.objectConfidence > $1.objectConfidence }
    }

    private struct Box {
        let frame: PixelRect
        let confidence: Float
        let kind: Int?

        /// Whether the box may be doubted because of another: a box without a kind by any, the rest by their own kind.
        func isDoubted(by other: Box) -> Bool { kind == nil || kind == other.kind }

        func lies(in outer: Box) -> Bool {
            guard frame.area < outer.frame.area, let shared = frame.intersection(outer.frame)?.area else {
                return false
            }
            return shared >= Double(insideShare) * frame.area
        }
    }

    /// The centers of boxes, from left to right. Of a box that lies inside another, the other holds the center, since ``insideShare`` is
    /// more than a half.
    private struct Centers {
        private let sorted: [(x: Double, y: Double, place: Int)]

        init(_ boxes: [Box]) {
            sorted = boxes.enumerated().map { ($0.element.frame.midX, $0.element.frame.midY, $0.offset) }
                .sorted { $0.x < $1.x }
        }

        /// Calls `body` with the place of each box with its center in a frame.
        func forEach(in frame: PixelRect, _ body: (Int) -> Void) {
            var (next, end) = (0, sorted.count)
            while next < end {
                let middle = (next + end) / 2
                if sorted[middle].x < frame.x { next = middle + 1 } else { end = middle }
            }
            while next < sorted.count, sorted[next].x <= frame.maxX {
                let center = sorted[next]
                if center.y >= frame.y, center.y <= frame.maxY { body(center.place) }
                next += 1
            }
        }
    }
}

extension PixelRect {
    /// The intersection over the area of the smaller rectangle, 0…1: 1 if a rectangle contains the other.
    func intersectionOverSmaller(_ other: PixelRect) -> Double {
        guard let shared = intersection(other)?.area else { return 0 }
        return shared / min(area, other.area)
    }
}
