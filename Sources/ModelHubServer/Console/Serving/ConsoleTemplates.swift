import Foundation
import Mustache

/// The console's templates, which are embedded in the program.
enum ConsoleTemplates {
    /// The pages and their parts by name, or the error of parsing them.
    private static let library = Result { try makeLibrary(sources) }

    /// Parses templates.
    ///
    /// - Throws: `.internal` with the name of the first template that is malformed.
    static func makeLibrary(_ sources: [String: [UInt8]]) throws(HubError) -> MustacheLibrary {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            let text = "{{% CONTENT_TYPE:\(ScalarEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
            do {
                try library.register(text, named: name)
            } catch {
                throw HubError(
                    .internal,
                    "The console's template \(name) is malformed (\(error)); build the program from intact sources."
                )
            }
        }
        return library
    }

    /// - Throws: The first error in the templates.
    static func check() throws { _ = try library.get() }

    /// A page as HTML; nil if there is no such page.
    static func render(_ name: String, _ content: Any) -> String? {
        (try? library.get())?.render(content, withTemplate: name)
    }
}

/// Escapes text for HTML by code points.
///
/// Swift-mustache's own escaping works on characters. A quotation mark followed by a combining accent is a single
/// character and would not be escaped.
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
