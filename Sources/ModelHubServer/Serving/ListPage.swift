import HTTPServing

/// A part of a list, and the position after it.
struct ListPage<Element> {
    var elements: [Element]
    /// The text for the next request; nil if the list ends here.
    var nextToken: String?

    /// The elements up to a limit.
    ///
    /// - Parameters:
    ///   - found: The elements at the position, one more than the limit if there are so many.
    ///   - id: The text that identifies an element.
    init(_ found: some Collection<Element>, limit: Int, id: (Element) -> String) {
        elements = Array(found.prefix(limit))
        nextToken = found.count > limit ? elements.last.map(id) : nil
    }

    /// The part of a whole list after the element in a page token.
    init(_ all: [Element], _ request: APIRequest, id: (Element) -> String) throws(HubError) {
        let token = try request.pageToken
        var rest = all[...]
        if !token.isEmpty {
            guard let index = all.firstIndex(where: { id($0) == token }) else { throw HubError.invalidArgument }
            rest = all[(index + 1)...]
        }
        self.init(rest, limit: try request.pageSize, id: id)
    }
}

extension APIRequest {
    /// The position of a page; empty for the first page.
    var pageToken: String {
        get throws(HubError) {
            let token = query["pageToken"] ?? query["page_token"] ?? ""
            guard token.utf8.count <= 256 else { throw HubError.invalidArgument }
            return token
        }
    }
}
