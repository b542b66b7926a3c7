import DurableFiles
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
            "\(context.place) is not \(kindOfValue(type))"
        case DecodingError.dataCorrupted(let context)
        where context.underlyingError != nil || context.debugDescription == "The given data was not valid JSON.":
            "it is not valid JSON, or has a number that its field cannot hold"
        case DecodingError.dataCorrupted(let context) where context.isNumberOutOfRange:
            "\(context.place) is a number that is out of range"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty ? context.debugDescription : "\(context.place): \(context.debugDescription)"
        case let error as CocoaError:
            SystemReason.of(error)
        default:
            "\(self)"
        }
    }
}

/// The name in JSON for values of a type.
private func kindOfValue(_ type: Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "a list"
    default: "an object"
    }
}

extension DecodingError.Context {
    /// Foundation names Swift's type for such a number, in one of these ways.
    fileprivate var isNumberOutOfRange: Bool {
        debugDescription.contains("is not representable in Swift") || debugDescription.contains("does not fit in")
    }

    fileprivate var place: String {
        codingPath.isEmpty
            ? "the file"
            : "\"" + codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") + "\""
    }
}
