import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// The confidences of places that a person should look at before pictures are published.
struct DoubtfulConfidence: Sendable {
    /// Objects from this confidence on are hidden.
    let threshold: Float
    /// Hidden objects below this confidence are on the sheet.
    var highest: Float { max(0.5, threshold) }
    /// Places below this confidence are not on the sheet.
    var least: Float { threshold * 0.75 }

    /// Reports that there is no sheet.
    func reportNothing() {
        StandardError.report("There is nothing to check: no face was found with a confidence below \(highest).")
    }

    /// Reports the contents of a sheet.
    ///
    /// - Parameters:
    ///   - shown: for example "3 pictures".
    ///   - visible: the number of places that are visible.
    ///   - hidden: the number of places that are hidden.
    static func report(_ path: String, _ shown: String, visible: Int, hidden: Int) {
        StandardError.report(
            "\(path) shows \(shown) to look at: \(NumberText.count(visible, "place")) that may be a face and "
                + "\(visible == 1 ? "is" : "are") visible, and \(hidden) that \(hidden == 1 ? "is" : "are") hidden and may be none."
        )
    }
}

extension ContactSheet.Cell {
    /// The surroundings of a place, with a box in the color of what happened to it.
    init(_ place: PixelRect, of source: Source, isHidden: Bool, confidence: Float) {
        self.init(
            source: source,
            caption: "\(isHidden ? "hidden" : "visible") \(Int((confidence * 100).rounded()))%",
            color: isHidden
                ? AnnotationColor(red: 0x1B, green: 0x7F, blue: 0x4B)
                : AnnotationColor(red: 0xC6, green: 0x28, blue: 0x28),
            place: place
        )
    }
}

extension PixelRect {
    /// The share of a place that a hidden object has to cover so that nothing of it can be recognized.
    fileprivate static let coveredShare = 0.7

    /// Whether most of a place lies inside the rectangle.
    func covers(_ place: PixelRect) -> Bool {
        (intersection(place)?.area ?? 0) >= Self.coveredShare * place.area
    }
}

extension ObjectMask {
    /// Whether most of a place lies inside the mask.
    func covers(_ place: PixelRect) -> Bool {
        guard bounds.intersection(place) != nil else { return false }
        let covered = spans.reduce(0.0) { sum, span in
            let height = min(Double(span.y + 1), place.maxY) - max(Double(span.y), place.y)
            let columns = span.columns
            let width = min(Double(columns.upperBound), place.maxX) - max(Double(columns.lowerBound), place.x)
            return sum + max(height, 0) * max(width, 0)
        }
        return covered >= PixelRect.coveredShare * place.area
    }
}
