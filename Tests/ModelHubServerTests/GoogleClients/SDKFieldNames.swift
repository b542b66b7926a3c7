import HTTPTypes

/// Header names of Google's clients that the hub does not read.
extension HTTPField.Name {
    static let androidPackage = named("X-Android-Package")
    static let androidCertificate = named("X-Android-Cert")
    static let bundleIdentifier = named("X-Ios-Bundle-Identifier")
    static let canRetry = named("X-Google-GFE-Can-Retry")
    static let acceptStreaming = named("X-Accept-Response-Streaming")
    static let fetchType = named("X-Firebase-RC-Fetch-Type")

    private static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .via }
}
