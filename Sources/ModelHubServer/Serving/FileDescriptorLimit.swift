import Foundation

/// How many files and connections the process may have open at once.
enum FileDescriptorLimit {
    /// Those that the database, the log and examinations need.
    private static let reserve = 128

    /// Raises the limit, as far as the system lets it, to what a number of connections needs.
    static func raise(forConnections count: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = rlim_t(count * 2 + reserve)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    /// How many connections there may be, each of which may send a file.
    static func connections(atMost count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, let open = Int(exactly: limit.rlim_cur) else { return count }
        return min(count, max((open - reserve) / 2, 16))
    }

    private static let resource = Int32(RLIMIT_NOFILE.rawValue)
}
