/// Text of an HTML page. Interpolated values are escaped, unless they are HTML themselves.
///
///     let row: HTML = "<td>\(name)</td>\(cells)"     // name: String, escaped; cells: [HTML], as they are
struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static func += (page: inout HTML, part: HTML) { page.text += part.text }

    /// Adds values to the markup between two literals.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ part: HTML) { text += part.text }

        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

        mutating func appendInterpolation(_ part: HTML?) { text += part?.text ?? "" }

        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

        /// Text, safe between tags and in a quoted attribute. Control characters, which HTML forbids, become spaces.
        mutating func appendInterpolation(_ plain: String) {
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                case _ where scalar.properties.generalCategory == .control: text += " "
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        /// A number with at most two decimals, for coordinates.
        mutating func appendInterpolation(_ number: Double) { text += ReportNumbers.fixed(number, 2) }
    }
}
