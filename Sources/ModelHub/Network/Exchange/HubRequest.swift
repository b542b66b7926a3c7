import Foundation

/// The fields in the head of a request or a response, in their order. Names have no case.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    /// All fields.
    package private(set) var list: [(name: String, value: String)]

    /// Creates fields from names and values.
    package init(dictionaryLiteral fields: (String, String)...) {
        list = fields.map { (name: $0.0, value: $0.1) }
    }

    init(_ fields: some Sequence<(name: String, value: String)>) { list = Array(fields) }

    /// Adds a field, after others of its name.
    package mutating func add(name: String, value: String) { list.append((name, value)) }

    /// Sets a field in the place of all fields of its name.
    mutating func replaceOrAdd(name: String, value: String) {
        list.removeAll { Self.isEqual($0.name, name) }
        add(name: name, value: value)
    }

    /// The value of the first field of a name.
    package func first(name: String) -> String? { list.first { Self.isEqual($0.name, name) }?.value }

    private static func isEqual(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && first.lowercased() == second.lowercased()
    }
}

/// A method of HTTP.
package struct HubMethod: Sendable, Hashable {
    /// The name of the method, for example `GET`.
    package let name: String

    /// Creates a method from its name.
    package init(_ name: String) { self.name = name }

    /// Reads.
    package static let get = HubMethod("GET")
    /// Changes, or asks with a body.
    package static let post = HubMethod("POST")
}

/// A request to a hub.
struct HubRequest: Sendable {
    var method = HubMethod.get
    var url: URL
    var headers: HeaderFields = [:]
    var body: Data?
    /// Whether the exchange may use metered links, where the system can detect them.
    var allowsMeteredLinks = true
}

/// A reason why no request can be sent, in words.
struct UnusableSettings: Error {
    let reason: String
}
