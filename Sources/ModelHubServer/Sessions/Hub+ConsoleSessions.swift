import Foundation
import ModelHubProtocol

extension Hub {
    /// The validity of a sign-in link.
    package static let signInLinkLifetime = Duration.seconds(10 * 60)

    /// Creates a link that signs in to the console once, with all rights, for the user of the hub's machine.
    ///
    /// - Parameter project: The first shown project.
    /// - Returns: The path and query to append to the hub's address.
    package func makeSignInLink(for project: Project) async throws -> String {
        try await makeSignInLink(
            SignInLink(project: project.id, role: .administrator),
            audit: audit(.local(project), "console.link", "projects/\(project.id)")
        )
    }

    /// Stores a link with a new code.
    ///
    /// - Returns: The path and query to append to the hub's address.
    func makeSignInLink(_ link: SignInLink, audit: AuditEntry) async throws -> String {
        let code = Base64URL.text(RandomBytes.make(32))
        var link = link
        link.codeHash = Credential.hash(ofSecret: code)
        link.expiry =
            [now().advanced(by: Self.signInLinkLifetime), link.sessionExpiry].compactMap { $0 }.min() ?? now()
        try await records.insert(link, audit: audit)
        return "/console/sign-in?code=\(code)"
    }

    /// Starts a session for the bearer of a token. The session ends with the token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
    func openSession(token: String) async throws -> OpenedSession {
        let identity = try await identity(bearerToken: token)
        return try await openSession(identity, nil, role: identity.ceiling, enclosure: identity.enclosure)
    }

    private static let usedLink = HubError(
        .unauthenticated,
        "The link was already used or has expired; `sightline hub console` or an owner of your project makes a new link."
    )

    /// Checks the code of a sign-in link without using it up.
    ///
    /// - Throws: `.unauthenticated` if it was used before or has expired.
    func checkSignInLink(code: String) async throws {
        let hash = Credential.hash(ofSecret: code)
        guard code.utf8.count <= 128, try await records.hasSignInLink(codeHash: hash, at: now()) else {
            throw Self.usedLink
        }
    }

    /// Starts a session with the code of a sign-in link, and uses it up.
    ///
    /// - Throws: `.unauthenticated` if it was used before or has expired.
    func openSession(code: String) async throws -> OpenedSession {
        let hash = Credential.hash(ofSecret: code)
        guard code.utf8.count <= 128, let link = try await records.takeSignInLink(codeHash: hash, at: now()),
            var identity = try await identity(person: link.person, role: link.role, enclosure: link.enclosure)
        else { throw Self.usedLink.forWrongCredential }
        identity.bound = PowerBound(credential: link.credential, expiry: link.sessionExpiry)
        return try await openSession(identity, link.project, role: link.role, enclosure: link.enclosure)
    }

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - name: The first shown project, by its id; nil for any project of the user.
    ///   - claims: The provider's claims about the user, if there is a provider.
    ///   - prefix: The beginning of the session's number.
    func openSession(
        _ identity: Identity,
        _ name: String?,
        role: Role,
        enclosure: String?,
        claims: ProviderClaims? = nil,
        prefix: String = ""
    ) async throws -> OpenedSession {
        let projects = try await projects(of: identity)
        guard let project = projects.first(where: { $0.id == name }) ?? projects.first else {
            throw HubError(
                .failedPrecondition,
                "There is no project that you may see; `sightline hub project create NAME` creates a project."
            )
        }
        let id = prefix + Base64URL.text(RandomBytes.make(32))
        let time = now()
        let session = ConsoleSession(
            idHash: Credential.hash(ofSecret: id),
            project: project,
            person: identity.person,
            credential: identity.bound.credential,
            role: role,
            enclosure: enclosure,
            claims: claims,
            actor: identity.actor,
            createTime: time,
            useTime: time,
            expiry: identity.bound.expiry
        )
        var entry = audit(identity, "console.sign-in", "projects/\(project.id)")
        entry.project = project.id
        try await records.insert(session, audit: entry)
        return OpenedSession(session: session, id: id)
    }

    /// The present identity of a session's user; nil if nothing of it is left.
    func identity(of session: ConsoleSession) async throws -> Identity? {
        var identity: Identity?
        if let claims = session.claims {
            identity = self.identity(ofGroups: claims.groups)
        } else if session.person == nil, let id = session.credential {
            guard let credential = try await records.credential(id: id) else { return nil }
            identity = try await self.identity(of: credential)
        } else {
            identity = try await self.identity(
                person: session.person,
                role: session.role,
                enclosure: session.enclosure
            )
        }
        identity?.actor = session.actor
        identity?.bound = PowerBound(credential: session.credential, expiry: session.expiry)
        return identity
    }

    /// The identity of a person, or of the user of the hub's machine, within the limits of a link.
    private func identity(person: String?, role: Role, enclosure: String?) async throws -> Identity? {
        let whole: Identity? = if let person { try await identity(ofPerson: person) } else { .local }
        guard let limited = whole?.limited(to: role, in: enclosure), limited.hasRole else { return nil }
        return limited
    }

    /// Shows another project in a session.
    ///
    /// - Throws: `.permissionDenied` or `.notFound` unless the user has a role in the project.
    func show(_ name: String, in session: ConsoleSession, by identity: Identity) async throws {
        var changed = session
        changed.project = try await caller(identity, in: name).project
        changed.useTime = now()
        try await records.update(changed)
    }

    /// The session of a browser's number; nil if it has ended. Removes its message for the next page.
    func session(id: String, takingNotice: Bool) async throws -> ConsoleSession? {
        guard id.utf8.count == 43 else { return nil }
        return try await session(number: id, takingNotice: takingNotice)
    }

    /// The identity of a command that a person allowed.
    ///
    /// - Throws: `.unauthenticated` if its session has ended.
    func identity(commandToken token: String) async throws -> Identity {
        guard let session = try await session(number: token, takingNotice: false),
            let identity = try await identity(of: session)
        else { throw HubError.bearerToken }
        return identity
    }

    /// The session with a random number.
    func session(number: String, takingNotice: Bool) async throws -> ConsoleSession? {
        guard var session = try await records.consoleSession(idHash: Credential.hash(ofSecret: number)),
            session.isValid(at: now())
        else { return nil }
        if session.hasEnded(at: now()) {
            guard let renewed = try await renewed(session) else { return nil }
            session = renewed
        }
        let (time, granularity) = (now(), ConsoleSession.useGranularity)
        // A last use in the future was noted before the clock was set back.
        let isUseNews =
            time > session.useTime.advanced(by: granularity) || session.useTime > time.advanced(by: granularity)
        guard isUseNews || (takingNotice && session.notice != nil) else { return session }
        var used = session
        used.useTime = time
        if takingNotice { used.notice = nil }
        try await records.update(used)
        return session
    }

    /// The valid sessions that show a project, newest first, with the present roles of their users.
    ///
    /// - Throws: `.permissionDenied` unless the caller is an owner.
    package func consoleSessions(of project: Project, by identity: Identity) async throws -> [ConsoleSession] {
        try identity.require(.owner, in: project.id)
        return try await withRoles(try await records.consoleSessions(of: project.id))
    }

    /// The valid sessions of the user of a session, newest first, with the present roles of the user. Empty for the bearer of a token and
    /// for the user of the hub's machine.
    func sessions(ofUserOf session: ConsoleSession) async throws -> [ConsoleSession] {
        if let subject = session.claims?.subject {
            guard !subject.isEmpty else { return [] }
            return try await withRoles(try await records.consoleSessions(ofProviderSession: nil, subject: subject))
        }
        guard let person = session.person else { return [] }
        return try await withRoles(try await records.consoleSessions(ofPerson: person))
    }

    /// The valid sessions, each with the present role of its user in the shown project.
    private func withRoles(_ sessions: [ConsoleSession]) async throws -> [ConsoleSession] {
        var valid: [ConsoleSession] = []
        for session in sessions where session.isValid(at: now()) {
            // A command on the hub's machine does not know the roles of a provider's groups; the session has that of its beginning.
            if session.claims != nil, openID == nil {
                valid.append(session)
                continue
            }
            guard let role = try await identity(of: session)?.role(in: session.project.id) else { continue }
            var session = session
            session.role = role
            valid.append(session)
        }
        return valid
    }

    /// Ends a session that shows a project.
    ///
    /// - Parameters:
    ///   - id: ``ConsoleSession/id``, or its beginning.
    ///   - project: The project of the console.
    ///   - identity: An owner of the project whose role is not below that of the session's user.
    package func endConsoleSession(_ id: String, of project: Project, by identity: Identity) async throws {
        let candidates = try await consoleSessions(of: project, by: identity).filter { $0.id.hasPrefix(id) }
        guard let session = candidates.first, candidates.count == 1, id.utf8.count >= 4 else {
            throw HubError(
                .notFound,
                "The project \"\(project.id)\" has \(candidates.isEmpty ? "no session" : "several sessions") \"\(id.prefix(64))\"; "
                    + "`sightline hub session list` shows their ids."
            )
        }
        guard let own = identity.role(in: project.id), session.role <= own else { throw HubError.outranked }
        try await end(session, by: identity)
    }

    /// Ends a session of the user of a session.
    func endSession(_ id: String, ofUserOf own: ConsoleSession, by identity: Identity) async throws {
        guard let session = try await sessions(ofUserOf: own).first(where: { $0.id == id }) else {
            throw HubError(.notFound, "You have no session \"\(id.prefix(64))\"; it may have ended.")
        }
        try await end(session, by: identity)
    }

    private func end(_ session: ConsoleSession, by identity: Identity) async throws {
        var entry = audit(
            identity,
            "console.end",
            "projects/\(session.project.id)",
            "session \(session.id) of \(session.actor)"
        )
        entry.project = session.project.id
        try await records.deleteConsoleSession(idHash: session.idHash, audit: entry)
    }

    /// Ends a session on request of its user.
    func end(_ session: ConsoleSession) async throws {
        let entry = AuditEntry(
            time: now(),
            project: session.project.id,
            actor: session.actor,
            action: "console.sign-out",
            target: "projects/\(session.project.id)"
        )
        try await records.deleteConsoleSession(idHash: session.idHash, audit: entry)
    }

    /// The token in the forms of a session, which prevents other sites from sending them.
    func formToken(of session: ConsoleSession) -> String {
        signer.signature(of: session.idHash.hexadecimalText, for: Self.formPurpose)
    }

    /// Whether a form belongs to this session.
    func isFormToken(_ token: String, of session: ConsoleSession) -> Bool {
        signer.isValid(token, of: session.idHash.hexadecimalText, for: Self.formPurpose)
    }

    private static let formPurpose = "console form"
}

extension HubError {
    /// The error for requests without a session.
    static let signIn = HubError(.unauthenticated, "You are not signed in, or your session has ended; sign in again.")
}
