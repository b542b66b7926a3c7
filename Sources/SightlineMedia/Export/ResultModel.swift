import TextFormatting

/// The model that gave results.
public struct ResultModel: Sendable, Hashable {
    /// The name or path of the model.
    public let name: String
    /// The first 12 hexadecimal digits of the SHA-256 of the model's file.
    public let version: String

    /// Describes a model.
    ///
    /// - Parameters:
    ///   - name: the name of the model's file, or its name in the catalog.
    ///   - sha256: the SHA-256 of the model's file in hexadecimal digits.
    public init(name: String, sha256: String) {
        self.name = name
        version = String(sha256.prefix(12))
    }
}

extension JSONText {
    /// Writes the fields with the model of a result, if there is one.
    mutating func model(_ model: ResultModel?) {
        guard let model else { return }
        field("model") { $0.string(model.name) }
        field("version") { $0.string(model.version) }
    }
}
