import Foundation
import Mustache

/// The console's templates. They are part of the program, and every test of a page renders them.
enum ConsoleTemplates {
    /// The pages and their parts by name.
    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            let text = "{{% CONTENT_TYPE:\(ScalarEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
            do {
                try library.register(text, named: name)
            } catch {
                assertionFailure("\(name): \(error)")
            }
        }
        return library
    }()

    /// A page as HTML.
    static func render(_ name: String, _ content: Any) -> String {
        library.render(content, withTemplate: name) ?? ""
    }
}

/// Escapes text for HTML by code points.
///
/// Swift-mustache's own escaping goes by characters, of which a quotation mark and an accent behind it are one, and
/// would let such a quotation mark through.
private struct ScalarEscaping: MustacheContentType {
    static let name = "CONSOLE"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { Self.escaped($0) != nil }) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let escaped = Self.escaped(byte) { bytes.append(contentsOf: escaped.utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
