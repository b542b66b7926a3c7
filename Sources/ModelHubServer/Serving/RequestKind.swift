import HTTPTypes

/// The kinds of requests that come often, known before they are routed.
enum RequestKind {
    case health
    /// Where to fetch a model.
    case downloadInfo
    /// A file by its signed address.
    case file
    /// An app's configuration.
    case configFetch
    /// An app's report of how models do.
    case outcomes
    case other

    init(_ method: HTTPRequest.Method, _ path: [String]) {
        let isReading = method == .get || method == .head
        self =
            switch (path.count, path.first) {
            case (1, "healthz"): .health
            case (3, "files") where isReading: .file
            case (5, "v1beta2") where isReading && path[3] == "models" && path[4].hasSuffix(":download"): .downloadInfo
            case (5, "v1") where method == .post && path[3] == "namespaces" && path[4].hasSuffix(":fetch"): .configFetch
            case (5, "hub") where method == .post && path[4] == "outcomes": .outcomes
            default: .other
            }
    }

    /// Whether a request is answered so quickly that the other connections of the event loop may wait for it.
    var isQuick: Bool {
        switch self {
        case .health, .downloadInfo, .file, .configFetch: true
        case .outcomes, .other: false
        }
    }

    /// Whether apps send it all the time without changing what an operator keeps an eye on.
    var isFromApps: Bool { self == .configFetch || self == .outcomes }
}
