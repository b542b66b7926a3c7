import Foundation
import Sightline

/// Boxes that people drew, collected picture by picture from the files of a tool.
struct DrawnBoxes {
    /// A box in a picture.
    struct Box {
        let label: String
        let frame: PixelRect
    }

    private let name: String
    private var pictures: [BoxAnnotations.Picture] = []
    private var boxes: [(picture: Int, box: Box)] = []

    /// - Parameter name: The name of the file or folder.
    init(name: String) { self.name = name }

    /// Adds a picture with its boxes.
    mutating func add(_ path: String, _ size: PixelSize, _ found: [Box]) {
        boxes += found.map { (pictures.count, $0) }
        pictures.append(BoxAnnotations.Picture(id: pictures.count + 1, path: path, size: size))
    }

    /// The pictures and boxes, with the labels in the order of their names.
    var annotations: BoxAnnotations {
        let labels = Set(boxes.map(\.box.label)).sorted()
        let positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        return BoxAnnotations(
            name: name,
            pictures: pictures,
            categories: labels.enumerated().map { BoxAnnotations.Category(id: $0 + 1, name: $1) },
            objects: boxes.compactMap { picture, box in
                positions[box.label].map {
                    let area = box.frame.width * box.frame.height
                    return .init(picture: picture, category: $0, frame: box.frame, area: area, isCrowd: false)
                }
            }
        )
    }
}

extension PixelRect {
    /// The box between two corners in any order; nil if a number is missing or not finite.
    init?(corners: [Double?]) {
        let numbers = corners.compactMap(\.self)
        guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else { return nil }
        let (left, right) = (min(numbers[0], numbers[2]), max(numbers[0], numbers[2]))
        let (top, bottom) = (min(numbers[1], numbers[3]), max(numbers[1], numbers[3]))
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}
