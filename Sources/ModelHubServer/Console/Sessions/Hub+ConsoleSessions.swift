import Foundation
import ModelHubProtocol

extension Hub {
    /// The validity of a sign-in link.
    public static let signInLinkLifetime = Duration.seconds(10 * 60)

    /// Creates a link that signs in to the console once, with all rights in a project.
    ///
    /// - Returns: The path and query to append to the hub's address.
    public func makeSignInLink(for project: Project) async throws -> String {
        let code = Base64URL.text(RandomBytes.make(32))
        try await metadata.insertSignInLink(
            codeHash: Credential.hash(ofSecret: code),
            project: project.id,
            expiry: now().advanced(by: Self.signInLinkLifetime),
            audit: audit(.local(project), "console.link", "projects/\(project.id)")
        )
        return "/console/sign-in?code=\(code)"
    }

    /// Starts a session for the bearer of a token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
    func openSession(token: String) async throws -> OpenedSession {
        let credential = try await credential(bearerToken: token)
        guard let project = try await metadata.project(credential.project) else { throw HubError.signIn }
        let caller = Caller(project: project, role: credential.role, actor: "\(credential.id) (\(credential.name))")
        return try await openSession(caller, credential: credential.id)
    }

    /// Starts a session with the code of a sign-in link, and uses it up.
    ///
    /// - Throws: `.unauthenticated` if it was used before or has expired.
    func openSession(code: String) async throws -> OpenedSession {
        let hash = Credential.hash(ofSecret: code)
        guard code.utf8.count <= 128, let project = try await metadata.takeSignInLink(codeHash: hash, at: now()) else {
            throw HubError(
                .unauthenticated,
                "The link was already used or has expired; `sightline hub console` prints a new link."
            ).forWrongCredential
        }
        return try await openSession(.local(project), credential: nil)
    }

    private func openSession(_ caller: Caller, credential: String?) async throws -> OpenedSession {
        let id = Base64URL.text(RandomBytes.make(32))
        let time = now()
        let session = ConsoleSession(
            idHash: Credential.hash(ofSecret: id),
            project: caller.project,
            credential: credential,
            role: caller.role,
            actor: caller.actor,
            createTime: time,
            useTime: time
        )
        try await metadata.insert(session, audit: audit(caller, "console.sign-in", "projects/\(caller.project.id)"))
        return OpenedSession(session: session, id: id)
    }

    /// The session of a browser's number; nil if it has ended. Removes its message for the next page.
    func session(id: String, takingNotice: Bool) async throws -> ConsoleSession? {
        guard id.utf8.count == 43,
            let session = try await metadata.consoleSession(idHash: Credential.hash(ofSecret: id)),
            session.isValid(at: now())
        else { return nil }
        let isUseNews = now() > session.useTime.advanced(by: ConsoleSession.useGranularity)
        guard isUseNews || (takingNotice && session.notice != nil) else { return session }
        var used = session
        used.useTime = now()
        if takingNotice { used.notice = nil }
        try await metadata.update(used)
        return session
    }

    /// The valid sessions of a project, newest first.
    public func consoleSessions(of project: Project) async throws -> [ConsoleSession] {
        try await metadata.consoleSessions(of: project.id).filter { $0.isValid(at: now()) }
    }

    /// Ends a session from the hub's machine.
    ///
    /// - Parameters:
    ///   - id: ``ConsoleSession/id``, or its beginning.
    ///   - project: The project of the console.
    public func endConsoleSession(_ id: String, of project: Project) async throws {
        let candidates = try await consoleSessions(of: project).filter { $0.id.hasPrefix(id) }
        guard let session = candidates.first, candidates.count == 1, id.utf8.count >= 4 else {
            throw HubError(
                .notFound,
                "The project \"\(project.id)\" has \(candidates.isEmpty ? "no session" : "several sessions") \"\(id)\"; "
                    + "`sightline hub session list` shows their ids."
            )
        }
        let entry = audit(
            .local(project),
            "console.end",
            "projects/\(project.id)",
            "session \(session.id) of \(session.actor)"
        )
        try await metadata.deleteConsoleSession(idHash: session.idHash, audit: entry)
    }

    /// Ends a session.
    func end(_ session: ConsoleSession) async throws {
        let entry = audit(session.caller, "console.sign-out", "projects/\(session.project.id)")
        try await metadata.deleteConsoleSession(idHash: session.idHash, audit: entry)
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
