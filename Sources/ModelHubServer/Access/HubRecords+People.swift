extension HubRecords {
    /// The person with an address and the roles that are valid at a time; nil if no role is valid.
    func person(_ address: String, at time: Timestamp) async throws -> Person? {
        try await database.read { db in
            guard let row = try db.row("SELECT * FROM person WHERE address = :address", ["address": address]) else {
                return nil
            }
            let person = try Self.person(row, in: nil, at: time, db)
            return person.grants.isEmpty ? nil : person
        }
    }

    /// The people with a role in a project that is valid at a time, with only that role; all people with all their roles
    /// if the project is nil. Sorted by address, beginning after an address.
    func people(
        in project: String?,
        after address: String,
        limit: Int,
        at time: Timestamp
    ) async throws -> [Person] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM person WHERE address > :after AND EXISTS (
                    SELECT 1 FROM membership LEFT JOIN credential ON credential.id = membership.credential
                    WHERE membership.person = person.address \(project == nil ? "" : "AND membership.project = :project")
                        AND \(Self.isGrantValid))
                ORDER BY address LIMIT :limit
                """,
                ["after": address, "project": project, "time": time.milliseconds, "limit": limit]
            ).map { try Self.person($0, in: project, at: time, db) }
        }
    }

    /// The people with a role in the whole hub that is valid at a time, with all their roles, by address.
    func administrators(at time: Timestamp) async throws -> [Person] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM person WHERE EXISTS (
                    SELECT 1 FROM membership LEFT JOIN credential ON credential.id = membership.credential
                    WHERE membership.person = person.address AND membership.project IS NULL AND \(Self.isGrantValid))
                ORDER BY address
                """,
                ["time": time.milliseconds]
            ).map { try Self.person($0, in: nil, at: time, db) }
        }
    }

    /// A grant is valid until its end, and until its credential is revoked.
    private static let isGrantValid =
        "(membership.expiry IS NULL OR membership.expiry > :time) AND credential.revokeTime IS NULL"

    /// A person with the valid roles, or only that in a project.
    private static func person(_ row: SQLRow, in project: String?, at time: Timestamp, _ db: any SQLTransaction) throws
        -> Person
    {
        let address: String = try row["address"]
        let grants = try db.rows(
            """
            SELECT membership.* FROM membership LEFT JOIN credential ON credential.id = membership.credential
            WHERE membership.person = :person AND \(isGrantValid) \(project == nil ? "" : "AND membership.project = :project")
            ORDER BY coalesce(membership.project, '')
            """,
            ["person": address, "project": project, "time": time.milliseconds]
        ).compactMap(Self.grant)
        return Person(address: address, grants: grants)
    }

    private static func grant(_ row: SQLRow) throws -> Person.Grant? {
        guard let role = try Role(rawValue: row["role"]) else { return nil }
        return try Person.Grant(
            project: row["project"],
            role: role,
            displayName: row["displayName"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            bound: PowerBound(
                credential: row["credential"],
                expiry: (row["expiry"] as Int64?).map { Timestamp(milliseconds: $0) }
            )
        )
    }

    /// Gives a person a role in place of the role in the same project, and adds the person if the address is unknown.
    ///
    /// Throws `.resourceExhausted` if there are too many people, `.failedPrecondition` if the project or the hub would
    /// lose its last lasting owner or administrator, and `.unauthenticated` if the credential behind the grant was
    /// revoked meanwhile.
    func grant(_ grant: Person.Grant, to address: String, audit: AuditEntry) async throws {
        try await database.write { db in
            if let credential = grant.bound.credential {
                let known = try db.row("SELECT * FROM credential WHERE id = :id", ["id": credential])
                guard try known.flatMap(Self.credential)?.isValid(at: audit.time) == true else {
                    throw HubError.bearerToken
                }
            }
            try Self.keepingLastHead(in: grant.project, db) {
                try db.insert(
                    ["address": address, "createTime": audit.time.milliseconds],
                    into: "person",
                    "ON CONFLICT (address) DO NOTHING"
                )
                let place: Columns = ["person": address, "project": grant.project]
                try db.change("DELETE FROM membership WHERE \(Self.isPlace)", place)
                try db.insert(
                    place.merging([
                        "role": grant.role.rawValue,
                        "displayName": grant.displayName,
                        "createTime": grant.createTime.milliseconds,
                        "expiry": grant.bound.expiry?.milliseconds,
                        "credential": grant.bound.credential,
                    ]),
                    into: "membership"
                )
            }
            try Self.checkCounts(in: grant.project, db)
            try Self.log(audit, db)
        }
    }

    /// Takes away a person's role in a project or in the hub, and removes a person without roles, together with the
    /// person's tokens and sessions. Returns false if the person has no such role.
    ///
    /// Throws `.failedPrecondition` if the project or the hub would lose its last lasting owner or administrator.
    func removeGrant(of address: String, in project: String?, audit: AuditEntry) async throws -> Bool {
        try await database.write { db in
            let isRemoved = try Self.keepingLastHead(in: project, db) {
                try db.change(
                    "DELETE FROM membership WHERE \(Self.isPlace)",
                    ["person": address, "project": project]
                ) == 1
            }
            guard isRemoved else { return false }
            try Self.removePeopleWithoutRoles(at: audit.time, db)
            try Self.log(audit, db)
            return true
        }
    }

    /// Removes roles that ended before a time, and people without roles.
    func forgetPeople(endedBefore time: Timestamp) async throws {
        try await database.write { db in
            try db.change("DELETE FROM membership WHERE expiry < :time", ["time": time.milliseconds])
            try Self.removePeopleWithoutRoles(at: time, db)
        }
    }

    private static let isPlace = "person = :person AND project IS NOT DISTINCT FROM :project"

    /// Removes people without roles. What their tokens created is revoked first.
    static func removePeopleWithoutRoles(at time: Timestamp, _ db: any SQLTransaction) throws {
        try revoke("person IS NOT NULL AND person NOT IN (SELECT person FROM membership)", [:], at: time, db)
        try db.change("DELETE FROM person WHERE address NOT IN (SELECT person FROM membership)")
    }

    /// Throws an error if a project or the hub has too many people.
    private static func checkCounts(in project: String?, _ db: any SQLTransaction) throws {
        let ofPlace =
            try db.value(
                Int.self,
                "SELECT count(*) FROM membership WHERE project IS NOT DISTINCT FROM :project",
                ["project": project]
            ) ?? 0
        let ofHub = try db.value(Int.self, "SELECT count(*) FROM person") ?? 0
        guard ofPlace <= Person.maximumCountOfProject, ofHub <= Person.maximumCountOfHub else {
            throw HubError(
                .resourceExhausted,
                "A project can have \(Person.maximumCountOfProject) people, and a hub \(Person.maximumCountOfHub); remove others first."
            )
        }
    }

    /// Performs a change of roles.
    ///
    /// - Throws: `.failedPrecondition` if the change removes the last lasting owner of the project, or the last lasting
    ///   administrator of the hub.
    private static func keepingLastHead<Result>(
        in project: String?,
        _ db: any SQLTransaction,
        _ change: () throws -> Result
    ) throws -> Result {
        let head = project == nil ? Role.administrator : .owner
        let count = {
            try db.value(
                Int.self,
                """
                SELECT count(*) FROM membership WHERE project IS NOT DISTINCT FROM :project AND role = :role
                    AND expiry IS NULL AND credential IS NULL
                """,
                ["project": project, "role": head.rawValue]
            ) ?? 0
        }
        let before = try count()
        let result = try change()
        guard try before == 0 || count() > 0 else {
            let place = project.map { "owner of the project \"\($0)\"" } ?? "administrator of the hub"
            throw HubError(
                .failedPrecondition,
                "This person is the last \(place); give another person this role first, in the console or on the hub's machine."
            )
        }
        return result
    }
}
