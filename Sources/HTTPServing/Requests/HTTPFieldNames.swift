import HTTPTypes

extension HTTPField.Name {
    /// Additional `Host` fields after the first, which becomes the request's authority.
    static let furtherHost = named("host")
    package static let forwardedFor = named("x-forwarded-for")
    /// The relation of the page that sends a request to the server, in the words of a browser.
    package static let fetchSite = named("sec-fetch-site")
    static let forwardedHost = named("x-forwarded-host")
    static let forwardedProtocol = named("x-forwarded-proto")
    /// Whether nginx buffers a response.
    package static let accelBuffering = named("x-accel-buffering")

    /// A name that is known to be valid, so that it is never missing.
    package static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .via }
}
