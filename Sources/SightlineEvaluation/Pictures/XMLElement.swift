import Foundation
import TextFormatting

/// An element of an XML file: the part of XML that tools for annotations write.
///
/// Declarations, comments and processing instructions are skipped. Entities other than the five of XML and numbers of characters stay
/// as they are, so that a file cannot grow when it is read.
struct XMLElement {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var children: [XMLElement] = []
    /// The text between the tags, without spaces around it.
    fileprivate(set) var text = ""

    /// The first child with a name.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// A reason, as a clause, why a text is not XML.
    struct Mistake: Error {
        let reason: String
    }

    private static let maximumDepth = 64

    /// Reads the element that holds all others.
    ///
    /// - Throws: ``Mistake``.
    static func root(of data: Data) throws(Mistake) -> XMLElement {
        var rest = Substring(String(decoding: TextEncoding.utf8(data), as: UTF8.self))
        // The document holds the root, as a list of one element.
        var open = [XMLElement(name: "", attributes: [:])]
        while let start = rest.firstIndex(of: "<") {
            open[open.count - 1].text += Self.decoded(rest[..<start])
            rest = rest[rest.index(after: start)...]
            if rest.hasPrefix("!--") {
                try skip(past: "-->", in: &rest)
            } else if rest.hasPrefix("![CDATA[") {
                rest = rest.dropFirst(8)
                guard let end = rest.firstRange(of: "]]>") else { throw Mistake(reason: "a CDATA section has no end") }
                open[open.count - 1].text += rest[..<end.lowerBound]
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("!") || rest.hasPrefix("?") {
                try skip(past: ">", in: &rest)
            } else {
                guard let end = end(of: rest) else { throw Mistake(reason: "a tag has no end") }
                let tag = rest[..<end]
                rest = rest[rest.index(after: end)...]
                try add(tag, to: &open)
            }
        }
        guard open.count == 1 else { throw Mistake(reason: "the element <\(open[open.count - 1].name)> has no end") }
        guard let root = open[0].children.first else { throw Mistake(reason: "it has no elements") }
        return root
    }

    private static func skip(past text: String, in rest: inout Substring) throws(Mistake) {
        guard let end = rest.firstRange(of: text) else { throw Mistake(reason: "\"\(text)\" is missing") }
        rest = rest[end.upperBound...]
    }

    /// The end of a tag; a `>` in an attribute's value is none.
    private static func end(of rest: Substring) -> Substring.Index? {
        var quote: Character?
        for index in rest.indices {
            let character = rest[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == ">" {
                return index
            }
        }
        return nil
    }

    private static func add(_ tag: Substring, to open: inout [XMLElement]) throws(Mistake) {
        if tag.hasPrefix("/") {
            let name = tag.dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)
            guard open.count > 1, var element = open.popLast(), element.name == name else {
                throw Mistake(reason: "</\(name.prefix(40))> closes another element")
            }
            element.text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
            open[open.count - 1].children.append(element)
            return
        }
        let isEmpty = tag.hasSuffix("/")
        let content = isEmpty ? tag.dropLast() : tag
        let name = String(content.prefix { !$0.isWhitespace })
        let element = XMLElement(name: name, attributes: attributes(in: content.dropFirst(name.count)))
        if isEmpty {
            open[open.count - 1].children.append(element)
        } else {
            guard open.count < maximumDepth else {
                throw Mistake(reason: "elements lie more than \(maximumDepth) deep")
            }
            open.append(element)
        }
    }

    private static func attributes(in text: Substring) -> [String: String] {
        var (found, rest) = ([String: String](), text)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].trimmingCharacters(in: .whitespacesAndNewlines)
            rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return found }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: quote) else { return found }
            found[name] = decoded(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        return found
    }

    private static let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

    private static func decoded(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var (result, rest) = ("", text)
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[rest.index(after: start)...]
            guard let end = rest.prefix(12).firstIndex(of: ";") else {
                result += "&"
                continue
            }
            let name = rest[..<end]
            let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            if let known = entities[String(name)] {
                result += known
            } else if name.hasPrefix("#"), let character = number.flatMap(Unicode.Scalar.init) {
                result.unicodeScalars.append(character)
            } else {
                result += "&\(name);"
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
