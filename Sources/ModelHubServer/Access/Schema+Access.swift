import HTTPServing

/// The schemas of people, keys, tokens and sessions.
extension Schema {
    static let role = choice(
        Role.allCases.map(\.rawValue),
        "Each role includes the rights of the roles before it. `administrator` is valid in the whole hub."
    ).named("Role")

    static let person = fields([
        "address": .text("Such as `ada@example.com`."),
        "roles": .list(
            "The roles that the caller may see.",
            of: .fields([
                "project?": .text("Absent for the whole hub."),
                "role": .role,
                "displayName": .text(),
                "createTime": .time("When the role was granted."),
                "expireTime?": .time("Absent for no end."),
            ])
        ),
    ]).named("Person")

    static let personPage = fields([
        "people": .list(of: .person),
        "nextPageToken?": .nextPageToken,
    ]).named("PersonPage")

    static let grantInput = fields([
        "role": .role,
        "displayName?": .text("The name on pages of the project. Absent keeps the present name."),
    ]).named("GrantInput")

    static let signInLink = fields([
        "path": .text("Append it to the hub's address. It signs in to the console once, within ten minutes.")
    ]).named("SignInLink")

    static let key = fields([
        "id": .text(),
        "name": .text(),
        "kind": .keyKind,
        "role": .role,
        "project?": .text("The only project in which the key is valid. Absent for all projects of its owner."),
        "person?": .text("The person to whom a token belongs."),
        "createTime": .time("When the key was created."),
        "expireTime?": .time("Absent for no end."),
        "lastUseTime?": .time("With an accuracy of an hour. Absent if the key was never used."),
        "revokeTime?": .time("Absent unless the key was revoked."),
        "secret?": .text("The API key or token, only in the response that creates it."),
        "keyFile?": .text("The key file of a service account as JSON, only in the response that creates it."),
        "publicKey?": .text("The public part of a signing key, which apps trust: Ed25519, in base64url."),
        "isKept?": .boolean("Whether this hub keeps the private part of a signing key."),
    ]).named("Key")

    static let keyPage = fields([
        "keys": .list("Oldest first.", of: .key),
        "nextPageToken?": .nextPageToken,
    ]).named("KeyPage")

    static let keyInput = fields([
        "name": .text("A name for people."),
        "kind?": .keyKind.described("`token` by default."),
        "role?": .role.described("The usual role of the kind by default."),
        "ttl?": .text("The lifetime in seconds, such as `2592000s`; `0s` for no end.", pattern: "^[0-9]+s$"),
        "project?": .text("The only project of a person's token."),
        "key?": .text("An existing API key to adopt."),
        "publicKey?": .text(
            "The public part of a signing key whose private part is kept elsewhere. Absent: the hub makes a key and keeps it."
        ),
        "address?": .text("The hub's address in a key file."),
    ]).named("KeyInput")

    static let keyKind = choice(Credential.Kind.allCases.map(\.rawValue)).named("KeyKind")

    static let session = fields([
        "id": .text(),
        "user": .text(),
        "role": .role,
        "createTime": .time("When the session began."),
        "lastUseTime": .time("With an accuracy of a minute."),
    ]).named("Session")

    static let sessionPage = fields([
        "sessions": .list("Newest first.", of: .session),
        "nextPageToken?": .nextPageToken,
    ]).named("SessionPage")

    static let accessToken = fields([
        "access_token": .text("Send it in `Authorization: Bearer`."),
        "expires_in": .integer("Seconds."),
        "token_type": .constant("Bearer"),
    ]).named("AccessToken")

    static let deviceAuthorization = fields([
        "device_code": .text("The code for the device."),
        "user_code": .text("The code for the person."),
        "verification_uri": .text("The page on which the person writes the code."),
        "verification_uri_complete?": .text("The page that already has the code."),
        "expires_in": .integer("Seconds."),
        "interval": .integer("The seconds between two requests of the device."),
    ]).named("DeviceAuthorization")

    static let accessTokenError = fields([
        "error": .choice(TokenRoutes.TokenError.Code.allCases.map(\.rawValue)),
        "error_description": .text(),
    ]).named("AccessTokenError")
}
