import Foundation

/// The number of files and connections that the process may have open.
///
/// A connection needs a descriptor. So does the file that it sends or receives, but most connections have none, and
/// downloads of the same file share one. A quarter of the connections can therefore have a file each. Beyond that,
/// requests that need another file get 503 until some end.
package enum FileDescriptorLimit {
    /// The descriptors for everything else, such as a database and a log.
    private static let reserve = 128

    /// Raises the limit, as far as the system allows, for a number of connections with a file each.
    package static func raise(forConnections count: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = rlim_t(count * 2 + reserve)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    /// The maximum number of connections.
    package static func connections(atMost count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, let open = Int(exactly: limit.rlim_cur) else { return count }
        return min(count, max((open - reserve) / 5 * 4, 16))
    }

    private static let resource = Int32(RLIMIT_NOFILE.rawValue)
}
