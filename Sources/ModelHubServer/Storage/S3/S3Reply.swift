import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The XML of a reply: the texts of the root's elements, and of the elements one level below.
///
/// The document comes from outside. It is limited in size, and a document type, which could define entities, is not
/// accepted.
struct S3Reply: Sendable {
    /// An element of the root with its own elements, for example an object of a listing.
    struct Record: Sendable {
        var name: String
        var fields: [String: String] = [:]
    }

    private(set) var root = ""
    private(set) var fields: [String: String] = [:]
    private(set) var records: [Record] = []

    /// The largest document in bytes: a listing of 1000 objects has less.
    static let limit = 4 << 20

    /// Parses a document; nil if it is not XML.
    init?(_ data: Data) {
        guard data.count <= Self.limit, data.firstRange(of: Data("<!DOCTYPE".utf8)) == nil else { return nil }
        let parser = XMLParser(data: data)
        let reader = Reader()
        parser.delegate = reader
        // On Linux, the parser also takes a document that was cut off.
        guard parser.parse(), reader.isComplete else { return nil }
        self = reader.reply
    }

    private init() {}

    private final class Reader: NSObject, XMLParserDelegate {
        var reply = S3Reply()
        private var depth = 0
        private var text = ""
        private var hasFailed = false

        /// Whether the whole document was read, up to the end of its root.
        var isComplete: Bool { !hasFailed && depth == 0 && !reply.root.isEmpty }

        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { hasFailed = true }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            depth += 1
            text = ""
            if depth == 1 { reply.root = name }
            if depth == 2 { reply.records.append(Record(name: name)) }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser,
            didEndElement name: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            if depth == 3, !reply.records.isEmpty {
                reply.records[reply.records.count - 1].fields[name] = text
            }
            if depth == 2, reply.records.last?.fields.isEmpty == true {
                reply.records.removeLast()
                reply.fields[name] = text
            }
            depth -= 1
            text = ""
        }
    }
}
