/// Numbers for people.
package enum NumberText {
    /// A number of bytes, for example `4.2 MB`; `–` if it is unknown.
    package static func bytes(_ count: Int?) -> String {
        guard let count else { return "–" }
        if count < 1000 { return "\(count) B" }
        if count < 1_000_000 { return "\(count / 1000) kB" }
        if count < 1_000_000_000 { return "\((Double(count) / 100_000).rounded() / 10) MB" }
        return "\((Double(count) / 100_000_000).rounded() / 10) GB"
    }

    /// A share of 1 as a percentage, for example `87.4 %`; `–` for an infinite number or NaN.
    package static func percentage(_ share: Float) -> String {
        guard share.isFinite else { return "–" }
        return "\((Double(share) * 1000).rounded() / 10) %"
    }

    /// A count with its noun, for example `1 picture` or `2 pictures`.
    package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
