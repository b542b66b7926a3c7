/// The body of a fetch request, with the keys of Firebase's SDKs.
struct ConfigRequest: Encodable {
    enum CodingKeys: String, CodingKey {
        case installation = "app_instance_id"
        case app = "app_id"
        case country = "country_code"
        case language = "language_code"
        case zone = "time_zone"
        case package = "package_name"
        case version = "app_version"
        case build = "app_build"
        case sdk = "sdk_version"
        case signals = "custom_signals"
    }

    var installation: String
    var app: String
    var country, language: String?
    var zone: String
    var package: String?
    var version, build: String?
    var sdk = "sightline"
    var signals: [String: CustomSignal]
}

/// The hub's response to a fetch request.
struct ConfigResponse: Decodable {
    struct Description: Decodable {
        var experimentId, variantId: String
        var affectedParameterKeys: [String]?
    }

    var state: String
    var entries: [String: String]?
    var templateVersion: String?
    var experimentDescriptions: [Description]?
}
