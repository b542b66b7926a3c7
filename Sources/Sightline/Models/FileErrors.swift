import Foundation

extension Error {
    /// The reason in a few words, without Foundation's preamble about operations that could not be completed.
    var summary: String {
        switch self as any Error {
        case let error as CocoaError where error.code == .fileReadNoSuchFile:
            "there is no such file"
        case let error as CocoaError where error.code == .fileReadNoPermission:
            "permission denied"
        case DecodingError.keyNotFound(let key, _):
            "the key \"\(key.stringValue)\" is missing"
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            "\(context.place) is not of type \(type)"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty ? "it is not valid JSON" : "\(context.place): \(context.debugDescription)"
        default:
            "\(self)"
        }
    }
}

extension DecodingError.Context {
    fileprivate var place: String {
        codingPath.isEmpty ? "the file" : "\"" + codingPath.map(\.stringValue).joined(separator: ".") + "\""
    }
}
