import Foundation
import Sightline

/// A color of boxes, lines and tags.
public struct AnnotationColor: Sendable, Hashable {
    /// Red, 0 to 255.
    public let red: UInt8
    /// Green, 0 to 255.
    public let green: UInt8
    /// Blue, 0 to 255.
    public let blue: UInt8

    /// Creates a color from its parts, each 0 to 255.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Black.
    public static let black = AnnotationColor(red: 0, green: 0, blue: 0)
    /// White.
    public static let white = AnnotationColor(red: 255, green: 255, blue: 255)

    /// Seven colors that people with any color vision can tell apart (Okabe and Ito, "Color Universal Design", 2008).
    static let palette = [
        AnnotationColor(red: 230, green: 159, blue: 0),
        AnnotationColor(red: 86, green: 180, blue: 233),
        AnnotationColor(red: 0, green: 158, blue: 115),
        AnnotationColor(red: 240, green: 228, blue: 66),
        AnnotationColor(red: 0, green: 114, blue: 178),
        AnnotationColor(red: 213, green: 94, blue: 0),
        AnnotationColor(red: 204, green: 121, blue: 167),
    ]

    /// The color of a label index or a tracking identity. It is the same in all pictures.
    public static func color(ofIdentity identity: Int) -> AnnotationColor {
        // The magnitude keeps every identity, even Int.min, inside the palette.
        palette[Int(identity.magnitude % UInt(palette.count))]
    }

    /// The color of an object: by its identity if it is tracked, otherwise by its label.
    public static func color(of object: DetectedObject) -> AnnotationColor {
        color(ofIdentity: object.id ?? object.labels.first?.index ?? 0)
    }

    /// Black or white: the one with more contrast on this color (relative luminance and contrast as in WCAG 2.1).
    var contrastingText: AnnotationColor {
        func linear(_ value: UInt8) -> Double {
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        // Contrast with black is (L + 0.05) / 0.05, with white 1.05 / (L + 0.05).
        return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? .black : .white
    }
}
