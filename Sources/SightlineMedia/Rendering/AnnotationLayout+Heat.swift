import Foundation
import Sightline

extension AnnotationLayout {
    /// A heat map with its colors.
    struct Heat: Sendable {
        let map: HeatMap
        let scale: HeatScale
    }

    /// A filled rectangle.
    struct Fill: Sendable {
        let frame: PixelRect
        let color: AnnotationColor
    }

    /// The number of colors in a scale.
    private static let scaleSteps = 48

    /// Adds the colors of a heat map, and a scale in seconds in the lower left corner. A map without times adds nothing.
    public mutating func addHeat(_ map: HeatMap) {
        guard map.mostSeconds > 0 else { return }
        let scale = HeatScale(most: map.mostSeconds)
        heat = Heat(map: map, scale: scale)
        let (width, height) = (Double(size.width), Double(size.height))
        let bar = PixelRect(x: 2 * fontSize, y: height - 3.5 * fontSize, width: width * 0.35, height: fontSize)
        let step = bar.width / Double(Self.scaleSteps)
        for index in 0..<Self.scaleSteps {
            let share = (Double(index) + 0.5) / Double(Self.scaleSteps)
            let part = PixelRect(x: bar.x + Double(index) * step, y: bar.y, width: step, height: bar.height)
            if let frame = part.wholePixels(in: size) {
                fills.append(Fill(frame: frame, color: HeatScale.color(atShare: share)))
            }
        }
        for share in [0, 0.5, 1] {
            let point = PixelPoint(x: bar.x + share * bar.width, y: bar.maxY + 0.9 * fontSize)
            addTag(Self.text(seconds: scale.seconds(at: share)), at: point, color: .white)
        }
    }

    /// For example `3.4 s` or `125 s`.
    private static func text(seconds: Double) -> String {
        let isWhole = seconds >= 10 || seconds == 0
        return isWhole ? "\(Int(min(seconds, 1e9).rounded())) s" : "\((seconds * 10).rounded() / 10) s"
    }
}

extension AnnotationLayout.Heat {
    /// Writes the ink of a part of the picture as stored.
    ///
    /// - Parameters:
    ///   - matrix: maps points of the upright picture to the part.
    ///   - pixels: 0xAARRGGBB, colors multiplied with alpha.
    func fill(_ pixels: UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int, _ region: PixelRegion, _ matrix: PixelMatrix)
    {
        let turn = matrix.xx * matrix.yy - matrix.xy * matrix.yx
        for row in 0..<region.height {
            for column in 0..<region.width {
                let (x, y) = (Double(column) + 0.5 - matrix.x0, Double(row) + 0.5 - matrix.y0)
                let seconds = map.seconds(
                    atX: (matrix.yy * x - matrix.xy * y) / turn,
                    y: (matrix.xx * y - matrix.yx * x) / turn
                )
                pixels[row * pixelsPerRow + column] = scale.ink(Double(seconds))
            }
        }
    }
}
