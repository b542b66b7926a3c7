import Foundation

/// The reason of a provider that refuses (RFC 6749, section 5.2; RFC 8628, section 3.5).
struct OpenIDRefusal: Sendable, Hashable, Decodable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case code = "error"
        case explanation = "error_description"
    }

    /// A word such as `invalid_grant`.
    var code: String
    /// The provider's sentence for people; nil if it gives none.
    var explanation: String?

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        code = try fields.decode(String.self, forKey: .code)
        explanation = try? fields.decode(String.self, forKey: .explanation)
    }

    /// The reason in the query of an address (RFC 6749, section 4.1.2.1).
    init(code: String, explanation: String?) { (self.code, self.explanation) = (code, explanation) }

    /// Whether the provider withdraws the grant itself: the code or the refresh token is wrong, was used, or has ended. Other words are about
    /// the hub's own request, which the operator can correct.
    var endsGrant: Bool { code == "invalid_grant" }

    /// The word and the sentence, bounded, with the characters alone that RFC 6749 permits.
    var description: String {
        let explanation = explanation.map { " (\(Self.shown($0, 300)))" } ?? ""
        return Self.shown(code, 60) + explanation
    }

    private static func shown(_ text: String, _ limit: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { (32...126).contains($0.value) }.prefix(limit)))
    }
}
