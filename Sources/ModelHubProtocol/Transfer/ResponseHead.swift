/// The status and the header fields of a response that matter for a file.
package struct ResponseHead: Sendable, Hashable {
    package var status: Int
    /// The place of the body in the file; nil if the header is missing or malformed.
    package var contentRange: ContentRange?
    /// The number of bytes in the body; nil if the header is missing or malformed.
    package var contentLength: Int?
    /// The delay that the server asks for.
    package var retryAfter: Duration?

    /// Creates the head of a response.
    ///
    /// - Parameter field: The value of a header field, by its name in lower case.
    package init(status: Int, field: (String) -> String?) {
        self.status = status
        contentRange = field("content-range").flatMap { ContentRange($0) }
        contentLength = field("content-length").flatMap { DecimalNumber.value(of: $0) }
        retryAfter = RetryAfter.duration(field("retry-after"))
    }

    /// Whether a server that answers with a status may answer the same request otherwise later.
    package static func isTransient(_ status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }
}
