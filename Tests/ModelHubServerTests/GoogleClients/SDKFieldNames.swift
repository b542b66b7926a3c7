import HTTPTypes

/// Header names of Google's clients.
extension HTTPField.Name {
    static let apiKey = named("X-Goog-Api-Key")
    static let installationsAuth = named("X-Goog-Firebase-Installations-Auth")
    static let heartbeat = named("X-Firebase-Client")
    static let hash = named("X-Goog-Hash")
    static let androidPackage = named("X-Android-Package")
    static let androidCertificate = named("X-Android-Cert")
    static let bundleIdentifier = named("X-Ios-Bundle-Identifier")
    static let canRetry = named("X-Google-GFE-Can-Retry")
    static let acceptStreaming = named("X-Accept-Response-Streaming")
    static let fetchType = named("X-Firebase-RC-Fetch-Type")

    private static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .via }
}
