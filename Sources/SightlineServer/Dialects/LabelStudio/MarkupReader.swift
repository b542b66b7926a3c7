/// Reads the tags of a small document in XML: the part of XML that labeling interfaces use, without text, entities of its own, and
/// namespaces.
struct MarkupReader {
    /// A tag, and the tags around it.
    struct Tag: Sendable, Hashable {
        let name: String
        let attributes: [String: String]
        /// The places of the tags around it in the list of tags, the outermost first.
        let parents: [Int]
    }

    private let text: [UInt8]
    private var index = 0

    private static let depthLimit = 64
    private static let tagLimit = 20_000

    /// The tags in the order of their beginnings.
    ///
    /// - Throws: ``AnswerError`` if the document is not well-formed.
    static func tags(in document: String) throws(AnswerError) -> [Tag] {
        var reader = MarkupReader(text: Array(document.utf8))
        return try reader.readTags()
    }

    private init(text: [UInt8]) { self.text = text }

    private var malformed: AnswerError {
        .invalid("The labeling interface is not well-formed XML near its byte \(index).")
    }

    private mutating func readTags() throws(AnswerError) -> [Tag] {
        var tags: [Tag] = []
        var open: [Int] = []
        while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start
            if begins("<!--") {
                try skip(past: "-->")
            } else if begins("<?") {
                try skip(past: "?>")
            } else if begins("<!") {
                try skip(past: ">")
            } else if begins("</") {
                index += 2
                let name = readName()
                try skip(past: ">")
                guard let last = open.popLast(), tags[last].name == name else { throw malformed }
            } else {
                index += 1
                let name = readName()
                guard !name.isEmpty, open.count < Self.depthLimit, tags.count < Self.tagLimit else { throw malformed }
                let (attributes, isClosed) = try readAttributes()
                if !isClosed { open.append(tags.count) }
                tags.append(Tag(name: name, attributes: attributes, parents: isClosed ? open : open.dropLast()))
            }
        }
        guard open.isEmpty else { throw malformed }
        return tags
    }

    /// Reads up to the end of a tag.
    private mutating func readAttributes() throws(AnswerError) -> (attributes: [String: String], isClosed: Bool) {
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            if begins("/>") {
                index += 2
                return (attributes, true)
            }
            if begins(">") {
                index += 1
                return (attributes, false)
            }
            let name = readName()
            skipSpace()
            guard !name.isEmpty, begins("=") else { throw malformed }
            index += 1
            skipSpace()
            guard let quote = index < text.count ? text[index] : nil,
                quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = text[(index + 1)...].firstIndex(of: quote)
            else { throw malformed }
            attributes[name] = Self.unescaped(String(decoding: text[(index + 1)..<end], as: UTF8.self))
            index = end + 1
        }
    }

    private func begins(_ mark: String) -> Bool { text[index...].starts(with: mark.utf8) }

    private mutating func skip(past mark: String) throws(AnswerError) {
        while index < text.count {
            if begins(mark) {
                index += mark.utf8.count
                return
            }
            index += 1
        }
        throw malformed
    }

    private mutating func skipSpace() {
        while index < text.count, text[index] == 0x20 || (0x09...0x0D).contains(text[index]) { index += 1 }
    }

    private mutating func readName() -> String {
        let start = index
        while index < text.count, Self.isPartOfName(text[index]) { index += 1 }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// A value with characters in place of XML's own entities and of references to characters. Others stay as they are.
    private static func unescaped(_ value: String) -> String {
        guard value.contains("&") else { return value }
        var parts = value.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            guard let end = parts[index].firstIndex(of: ";"), let character = character(parts[index][..<end]) else {
                parts[index] = "&" + parts[index]
                continue
            }
            parts[index] = character + parts[index][parts[index].index(after: end)...]
        }
        return parts.joined()
    }

    private static func character(_ entity: Substring) -> String? {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard entity.first == "#" else { return nil }
            let digits = entity.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map { String($0) }
        }
    }
}
