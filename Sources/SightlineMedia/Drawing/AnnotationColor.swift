import Foundation

/// A colour of boxes and tags, each part in 0…255.
struct AnnotationColor: Sendable, Hashable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    static let black = AnnotationColor(red: 0, green: 0, blue: 0)
    static let white = AnnotationColor(red: 255, green: 255, blue: 255)

    /// Seven colours that people with any colour vision can tell apart (Okabe and Ito, "Color Universal Design", 2008).
    static let palette = [
        AnnotationColor(red: 230, green: 159, blue: 0),
        AnnotationColor(red: 86, green: 180, blue: 233),
        AnnotationColor(red: 0, green: 158, blue: 115),
        AnnotationColor(red: 240, green: 228, blue: 66),
        AnnotationColor(red: 0, green: 114, blue: 178),
        AnnotationColor(red: 213, green: 94, blue: 0),
        AnnotationColor(red: 204, green: 121, blue: 167),
    ]

    /// The colour that always belongs to the same label index or tracking identity.
    static func forIdentity(_ identity: Int) -> AnnotationColor {
        // Computed so that no identity, not even Int.min, leads outside the palette.
        palette[Int(identity.magnitude % UInt(palette.count))]
    }

    /// Black or white, whichever stands out more on this colour (relative luminance and contrast as in WCAG 2.1).
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
