/// A lock of the hubs on a database (PostgreSQL's advisory locks). A transaction holds it until its end; a
/// connection, until the connection ends.
struct PostgresLock: Sendable {
    private let kind: Int32
    private let number: Int32

    /// The records of all projects. Transactions of a single project share it.
    static let records = Self(kind: 0x534C_0001, number: 0)
    /// The tables.
    static let tables = Self(kind: 0x534C_0002, number: 0)
    private init(kind: Int32, number: Int32) { (self.kind, self.number) = (kind, number) }

    /// The work that one hub does for all.
    init(_ work: SharedWork) {
        switch work {
        case .housekeeping: self.init(kind: 0x534C_0003, number: 0)
        case .rollouts: self.init(kind: 0x534C_0003, number: 1)
        case .webhooks: self.init(kind: 0x534C_0003, number: 2)
        }
    }

    /// The records of a project. Projects with the same hash (FNV-1a, 32 bits) only wait for each other.
    static func project(_ id: String) -> Self {
        let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Self(kind: 0x534C_0004, number: Int32(bitPattern: hash))
    }

    /// A statement that waits for the lock.
    var exclusive: String { "SELECT pg_advisory_xact_lock(\(kind), \(number))" }
    /// A statement that waits for those that hold the lock alone.
    var shared: String { "SELECT pg_advisory_xact_lock_shared(\(kind), \(number))" }
    /// A query that takes the lock for the connection if it is free, and returns whether it was.
    var attempt: String { "SELECT pg_try_advisory_lock(\(kind), \(number))" }
    /// A query that ends the lock of the connection.
    var end: String { "SELECT pg_advisory_unlock(\(kind), \(number))" }
}
