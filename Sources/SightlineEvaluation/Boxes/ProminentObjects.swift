import Sightline

extension BoxReport.ProminentObjects {
    /// Boxes in fractions of a picture.
    private struct Picture {
        var objects: [PixelRect] = []
        var crowds: [Bool] = []
        var boxes: [(frame: PixelRect, score: Double)] = []
    }

    /// Counts like `Training/sightline_training/evaluate.py`.
    init(_ annotations: BoxAnnotations, _ detections: BoxDetections) {
        var pictures = [Picture](repeating: Picture(), count: annotations.pictures.count)
        func fraction(_ frame: PixelRect, of picture: Int) -> PixelRect {
            let size = annotations.pictures[picture].size
            let (width, height) = (Double(max(size.width, 1)), Double(max(size.height, 1)))
            return PixelRect(
                x: frame.x / width,
                y: frame.y / height,
                width: frame.width / width,
                height: frame.height / height
            )
        }
        for object in annotations.objects {
            pictures[object.picture].objects.append(fraction(object.frame, of: object.picture))
            pictures[object.picture].crowds.append(object.isCrowd)
        }
        let whole = PixelRect(x: 0, y: 0, width: 1, height: 1)
        for box in detections.boxes {
            let frame = fraction(box.frame, of: box.picture)
            pictures[box.picture].boxes.append(
                (frame.intersection(whole) ?? PixelRect(x: 0, y: 0, width: 0, height: 0), box.score)
            )
        }
        for index in pictures.indices {
            pictures[index].boxes = pictures[index].boxes.enumerated()
                .sorted { (-$0.element.score, $0.offset) < (-$1.element.score, $1.offset) }.map(\.element)
        }
        ap50Over1Percent = Self.averagePrecision(pictures, over: 0.01)
        ap50Over5Percent = Self.averagePrecision(pictures, over: 0.05)
        recall5Over5Percent = Self.recall(pictures, over: 0.05)
    }

    private static func averagePrecision(_ pictures: [Picture], over least: Double, of most: Int = 10) -> Double {
        var found: [(score: Double, isRight: Bool)] = []
        var wanted = 0
        for picture in pictures {
            let isIgnored = zip(picture.objects, picture.crowds).map { $1 || $0.area < least }
            wanted += isIgnored.count { !$0 }
            var used = Set<Int>()
            for box in picture.boxes.prefix(most) {
                let overlaps = picture.objects.map { box.frame.iou($0) }
                let fits = overlaps.indices.filter { overlaps[$0] >= 0.5 && !used.contains($0) && !isIgnored[$0] }
                // For equal overlaps the first object wins.
                if let best = fits.max(by: { (overlaps[$0], -$0) < (overlaps[$1], -$1) }) {
                    used.insert(best)
                    found.append((box.score, true))
                } else if box.frame.area >= least,
                    !overlaps.indices.contains(where: { overlaps[$0] >= 0.5 && isIgnored[$0] })
                {
                    found.append((box.score, false))
                }
            }
        }
        guard wanted > 0 else { return 0 }
        let order = found.indices.sorted { (-found[$0].score, $0) < (-found[$1].score, $1) }
        var (right, seen) = (0, 0)
        var points: [(recall: Double, precision: Double)] = order.map { index in
            right += found[index].isRight ? 1 : 0
            seen += 1
            return (Double(right) / Double(wanted), Double(right) / Double(seen))
        }
        for index in points.indices.dropFirst().reversed() {
            points[index - 1].precision = max(points[index - 1].precision, points[index].precision)
        }
        var place = 0
        let sum = BoxScoring.recalls.reduce(0.0) { sum, recall in
            while place < points.count, points[place].recall < recall { place += 1 }
            return sum + (place < points.count ? points[place].precision : 0)
        }
        return sum / Double(BoxScoring.recalls.count)
    }

    private static func recall(_ pictures: [Picture], over least: Double, of most: Int = 5) -> Double {
        var (hits, wanted) = (0, 0)
        for picture in pictures {
            let objects = zip(picture.objects, picture.crowds).filter { !$1 && $0.area > least }.map(\.0)
            wanted += objects.count
            var used = Set<Int>()
            for box in picture.boxes.prefix(most) {
                let fits = objects.indices.filter { box.frame.iou(objects[$0]) >= 0.5 && !used.contains($0) }
                let best = fits.max { (box.frame.iou(objects[$0]), -$0) < (box.frame.iou(objects[$1]), -$1) }
                if let best { used.insert(best) }
            }
            hits += used.count
        }
        return Double(hits) / Double(max(wanted, 1))
    }
}
