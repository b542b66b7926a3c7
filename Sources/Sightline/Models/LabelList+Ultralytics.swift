import Foundation
import TensorFlowLite

/// The names of classes as the exporter of Ultralytics packs them into the models that it exports.
///
/// The exporter packs one file: `temp_meta.txt`, a Python dictionary, in older releases, where the metadata calls it a label
/// file; `metadata.json` in newer ones, which the metadata does not name. Both have the classes under `names`, by number.
extension LabelList {
    private static let python = "temp_meta.txt"
    private static let json = "metadata.json"

    /// The largest number of classes; ImageNet's whole set has 21,843.
    private static let maximumNames = 100_000

    /// Whether a packed file has that form.
    static func isUltralytics(_ fileName: String) -> Bool { fileName == python }

    /// The names in `metadata.json`; nil if the model packs no such file, or a file without `names`.
    init?(ultralyticsJSONIn model: Model, source: String) throws(LocalModelError) {
        guard model.associatedFileNames.contains(Self.json) else { return nil }
        let data: Data
        do {
            data = try model.associatedFile(named: Self.json)
        } catch {
            throw .labels(source: Self.json, reason: "\(error)")
        }
        // Others may pack a file of this name too, of whatever form.
        guard let text = String(data: data, encoding: .utf8),
            case .dictionary(let fields)? = try? LiteralValue(parsing: text), let names = fields[.text("names")]
        else { return nil }
        try self.init(names: names, source: "\(Self.json) inside \(source)")
    }

    /// Reads `temp_meta.txt`.
    init(ultralytics data: Data, source: String) throws(LocalModelError) {
        guard let text = String(data: data, encoding: .utf8) else {
            throw .labels(source: source, reason: "it is not UTF-8 text")
        }
        let value: LiteralValue
        do {
            value = try LiteralValue(parsing: text)
        } catch {
            throw .labels(source: source, reason: "it is not a Python dictionary: \(error.reason)")
        }
        guard case .dictionary(let fields) = value, let names = fields[.text("names")] else {
            throw .labels(source: source, reason: "it has no \"names\"")
        }
        try self.init(names: names, source: source)
    }

    private init(names value: LiteralValue, source: String) throws(LocalModelError) {
        let entries: [(number: Int?, value: LiteralValue)] =
            switch value {
            case .dictionary(let names): names.map { (Self.number($0.key), $0.value) }
            case .list(let names): names.enumerated().map { ($0.offset, $0.element) }
            default: throw .labels(source: source, reason: "its \"names\" are neither a dictionary nor a list")
            }
        guard (1...Self.maximumNames).contains(entries.count) else {
            throw .labels(source: source, reason: "it has \(entries.count) names, not 1 to \(Self.maximumNames)")
        }
        var names = [String?](repeating: nil, count: entries.count)
        for entry in entries {
            guard let number = entry.number, names.indices.contains(number), names[number] == nil,
                case .text(let name) = entry.value
            else {
                throw .labels(
                    source: source,
                    reason: "its \"names\" are not texts with the numbers 0 to \(entries.count - 1)"
                )
            }
            names[number] = name
        }
        self.init(names: names.compactMap(\.self), source: source)
    }

    /// The number of a class, which JSON can only write as a text.
    private static func number(_ key: LiteralValue.Key) -> Int? {
        switch key {
        case .integer(let number): number
        case .text(let text): Int(text)
        }
    }
}
