import Foundation

/// Follows a list from page to page, and notices a list that does not end: the server may be hostile.
struct PageTokens {
    /// The maximum number of pages and bytes of a list.
    private static let maximumPages = 5000, maximumBytes = 64 << 20
    /// The longest time until the last page. Each page has its own limit of time, so that a list of slow pages could last for days.
    private static let maximumTime = Duration.seconds(120)

    /// The token of the page to fetch; empty for the first page.
    private(set) var token = ""
    private var pages = 0
    private var byteCount = 0
    private let start: ContinuousClock.Instant

    /// - Parameter start: The time of the request for the first page.
    init(since start: ContinuousClock.Instant = .now) { self.start = start }

    /// Notes a page.
    ///
    /// - Parameters:
    ///   - data: The page.
    ///   - next: The token of the next page; nil or empty at the end.
    /// - Returns: Whether there is a next page.
    mutating func advance(behind data: Data, to next: String?) throws(CommandError) -> Bool {
        guard let next, !next.isEmpty else { return false }
        pages += 1
        byteCount += data.count
        guard next != token else {
            throw CommandError(
                "The list does not end: two pages in a row name the same next page; check the address of the hub."
            )
        }
        guard pages < Self.maximumPages, byteCount < Self.maximumBytes else {
            throw CommandError(
                "The list does not end: it has more than \(pages) pages with \(byteCount) bytes; check the address of the hub."
            )
        }
        guard .now - start < Self.maximumTime else {
            throw CommandError(
                "The list does not end: after \(pages) pages in \(Self.maximumTime.components.seconds) s there are more; check the address of the hub and the network."
            )
        }
        token = next
        return true
    }
}
