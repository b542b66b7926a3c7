import HTTPTypes

/// The kinds of frequent requests, known before routing.
enum RequestKind {
    case health
    /// The address of a model.
    case downloadInfo
    /// A file by its signed address.
    case file
    /// An app's configuration.
    case configFetch
    /// An app's report of results.
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

    /// Whether the response is so fast that the other connections of the event loop may wait for it.
    var isQuick: Bool {
        switch self {
        case .health, .downloadInfo, .file, .configFetch: true
        case .outcomes, .other: false
        }
    }

    /// Whether apps send such requests all the time without changing anything that an operator watches.
    var isFromApps: Bool { self == .configFetch || self == .outcomes }
}
