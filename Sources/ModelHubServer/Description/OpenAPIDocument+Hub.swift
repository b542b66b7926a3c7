import HTTPServing

extension OpenAPIDocument {
    /// Describes the routes of the hub.
    init(_ routes: [Route]) {
        self.init(
            routes,
            in: Frame(
                info: Self.info,
                server: "The hub that serves this document.",
                tags: APITag.allCases.map { ($0.rawValue, $0.text) },
                securitySchemes: SecurityScheme.all,
                error: .error,
                partOfPath: APIParameter.inPath
            ),
            security: \.security
        )
    }

    private static let info = OrderedJSON.fields([
        "title": "Sightline hub",
        "version": "1",
        "summary": "Models, Remote Config and experiments for apps.",
        "description": .text(introduction),
        "license": .fields(["name": "Apache-2.0", "identifier": "Apache-2.0"]),
    ])

    private static let introduction = """
        The hub implements the parts of Firebase's and Cloud Storage's APIs that host models, and adds its own operations \
        below `/hub/v1`.

        Apps send an API key in the header `X-Goog-Api-Key`, or in the query as `key`. Programs send a bearer token. The \
        security requirement of an operation names the role that it needs: `publisher` is a role in the project of the path, \
        `hub administrator` a role in the whole hub, and an empty list means any valid token. Each role includes the rights \
        of the roles before it: viewer, publisher, editor, owner, administrator.

        Errors have the form of Google's APIs. After status 429 or 503, wait as many seconds as `Retry-After` says. Fields \
        and values that this description lacks may be added; ignore them.

        Names of fields in queries may also be written with underscores, such as `page_size`.
        """
}

extension APIOperation {
    /// Creates the description of an operation in a chapter.
    init(_ tag: APITag, _ id: String, _ summary: String) { self.init(tag: tag.rawValue, id, summary) }
}

/// The chapters of the description.
enum APITag: String, CaseIterable {
    case apps = "Apps"
    case models = "Models"
    case versions = "Versions"
    case storage = "Storage"
    case remoteConfig = "Remote Config"
    case experiments = "Experiments"
    case rollouts = "Rollouts"
    case dataSets = "Data sets and training"
    case webhooks = "Webhooks"
    case access = "Projects and access"
    case health = "Health"

    var text: String {
        switch self {
        case .apps:
            "Operations for apps on devices: download models, fetch values, report results. A page of any site may send these requests, except reports."
        case .models: "Create, publish and delete models, as with Firebase's Admin SDKs."
        case .versions: "Versions of models, their thresholds and their aliases."
        case .storage:
            "Uploads of files, as in Cloud Storage's JSON API. Signed addresses (V4, `/BUCKET/OBJECT?X-Goog-Algorithm=…`) of key files read objects too."
        case .remoteConfig: "Templates, as in Firebase's Remote Config."
        case .experiments: "A/B tests of the values of a parameter."
        case .rollouts: "New versions in steps that halt automatically."
        case .dataSets: "Photos with labels, and models that the hub trains from them."
        case .webhooks: "Addresses that the hub notifies of changes."
        case .access: "Projects, people, keys, tokens, sessions and the audit log."
        case .health: "For operators."
        }
    }
}
