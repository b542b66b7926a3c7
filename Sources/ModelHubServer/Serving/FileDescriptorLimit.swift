import Foundation

/// The number of files and connections that the process may have open.
enum FileDescriptorLimit {
    /// The descriptors for the database, the log and validations.
    private static let reserve = 128

    /// Raises the limit, as far as the system allows, for a number of connections.
    static func raise(forConnections count: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = rlim_t(count * 2 + reserve)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    /// The maximum number of connections, each of which may send a file.
    static func connections(atMost count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, let open = Int(exactly: limit.rlim_cur) else { return count }
        return min(count, max((open - reserve) / 2, 16))
    }

    private static let resource = Int32(RLIMIT_NOFILE.rawValue)
}
