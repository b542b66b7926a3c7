import HTTPServing

/// The proofs of access that a request may contain.
enum SecurityScheme: String {
    case apiKey, apiKeyInQuery, installation, refreshToken, token, metricsToken

    /// All schemes as the description defines them.
    static let all = OrderedJSON.fields([
        "apiKey": key(
            in: "header",
            "X-Goog-Api-Key",
            "The key of an app: `sightline hub key create --api-key NAME`."
        ),
        "apiKeyInQuery": key(in: "query", "key", "The same key in the address."),
        "installation": key(
            in: "header",
            "X-Goog-Firebase-Installations-Auth",
            "The token of a registered installation."
        ),
        "refreshToken": key(in: "header", "Authorization", "`FIS_v2 ` and the refresh token of an installation."),
        "token": bearer("A token: `sightline hub token create NAME`, or the access token of a key file."),
        "metricsToken": bearer(
            "The token in the file of `--metrics-token-file`, if the hub was started with one."
        ),
    ])

    private static func key(in place: String, _ name: String, _ text: String) -> OrderedJSON {
        .fields(["type": "apiKey", "in": .text(place), "name": .text(name), "description": .text(text)])
    }

    private static func bearer(_ text: String) -> OrderedJSON {
        .fields(["type": "http", "scheme": "bearer", "description": .text(text)])
    }
}

extension RouteAccess {
    /// The proofs of which a request needs one, as an operation's security requirement.
    var security: OrderedJSON {
        switch self {
        case .project(let role), .console(let role): [Self.token(role.rawValue)]
        case .hub(let role): [role.map { Self.token("hub \($0.rawValue)") } ?? Self.all(.token)]
        case .ofHandler(let proof):
            switch proof {
            case .nothing: []
            case .app(let role):
                [
                    Self.all(.apiKey, .installation), Self.all(.apiKeyInQuery, .installation), Self.all(.apiKey),
                    Self.all(.apiKeyInQuery), Self.token(role.rawValue),
                ]
            case .apiKey: [Self.all(.apiKey), Self.all(.apiKeyInQuery)]
            case .installation: [Self.all(.apiKey, .refreshToken), Self.all(.apiKeyInQuery, .refreshToken)]
            case .metricsToken: [Self.all(), Self.all(.metricsToken)]
            }
        }
    }

    private static func token(_ role: String) -> OrderedJSON {
        .object([(SecurityScheme.token.rawValue, .list([.text(role)]))])
    }

    private static func all(_ schemes: SecurityScheme...) -> OrderedJSON {
        .object(schemes.map { ($0.rawValue, .list([])) })
    }
}
