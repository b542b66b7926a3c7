import Foundation
import Sightline

/// The cells of a picture from which a layer learns: those whose boxes fit a drawn box best, and some whose boxes fit none, which show
/// nothing.
struct GridLesson: Sendable {
    private(set) var features: [Data] = []
    private(set) var labels: [Int] = []

    /// A cell whose box overlaps a drawn box by more than this IoU has its label.
    private static let agreement = 0.5
    /// A cell whose box overlaps every drawn box by less than this IoU shows nothing.
    private static let disagreement = 0.4
    /// At most so many cells of a drawn box: of cells beside each other, the best ones are meant to be found.
    private static let mostOfBox = 5
    /// At most so many cells of a picture that show nothing: of few pictures more.
    static func mostOfNothing(ofPictures count: Int) -> Int { min(max(6_000 / max(count, 1), 5), 20) }

    /// - Parameter nothingLimit: At most so many cells that show nothing, evenly from those that look like an object to those that do not.
    init(_ cells: GridCells, _ drawn: [ReadScene.Drawn], crowds: [PixelRect], nothingLimit: Int) {
        var nothing: [Int] = []
        var found = [[(cell: Int, fit: Double)]](repeating: [], count: drawn.count)
        for (cell, frame) in cells.frames.enumerated() {
            var (best, most) = (0, 0.0)
            for (index, box) in drawn.enumerated() {
                let overlap = frame.iou(box.frame)
                if overlap > most { (best, most) = (index, overlap) }
            }
            if most >= Self.agreement {
                found[best].append((cell, most * Double(cells.confidences[cell]).squareRoot()))
            } else if most < Self.disagreement, !crowds.contains(where: { $0.intersection(frame) != nil }) {
                nothing.append(cell)
            }
        }
        for (box, own) in zip(drawn, found) {
            for (cell, _) in own.sorted(by: { (-$0.fit, $0.cell) < (-$1.fit, $1.cell) }).prefix(Self.mostOfBox) {
                add(cells.stored(cell), box.label)
            }
        }
        let count = min(nothingLimit, nothing.count)
        for number in 0..<count { add(cells.stored(nothing[number * nothing.count / count]), 0) }
    }

    private mutating func add(_ data: Data, _ label: Int) {
        features.append(data)
        labels.append(label)
    }
}

/// The cells of all pictures from which a layer learns.
struct GridSamples: Sendable {
    private(set) var features: [Data] = []
    private(set) var labels: [[Int]] = []
    /// The scene of each row.
    private(set) var scenes: [Int] = []

    init(_ all: [ReadScene]) {
        for (number, scene) in all.enumerated() {
            features += scene.lesson.features
            labels += scene.lesson.labels.map { [$0] }
            scenes += scene.lesson.labels.map { _ in number }
        }
        let (count, most) = (features.count, RegionSamples.mostRows)
        guard count > most else { return }
        let kept = (0..<most).map { $0 * count / most }
        features = kept.map { features[$0] }
        labels = kept.map { labels[$0] }
        scenes = kept.map { scenes[$0] }
    }
}
