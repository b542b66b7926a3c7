import ArgumentParser
import Foundation

/// A share as people write it: `5%`, `5 %` or `.05`.
struct ShareArgument: ExpressibleByArgument, Sendable, Hashable {
    /// The share, above 0 and at most 1.
    let value: Double

    /// Creates a share.
    init(value: Double) { self.value = value }

    /// Reads a share; nil if it is not above 0 and at most 1.
    init?(argument: String) {
        let text = argument.trimmingCharacters(in: .whitespaces)
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? text.dropLast().trimmingCharacters(in: .whitespaces) : text
        guard let number = Double(digits) else { return nil }
        let share = isPercent ? number / 100 : number
        guard share > 0, share <= 1 else { return nil }
        value = share
    }

    var defaultValueDescription: String { "\((value * 100).formatted())%" }
}
