/// Names of header fields, in lower case.
package enum HubHeader {
    /// The key of an app.
    package static let apiKey = "x-goog-api-key"
    /// The project that a caller means whose token is valid in several projects.
    package static let userProject = "x-goog-user-project"
    /// The bundle identifier of an app for Apple's systems.
    package static let bundleID = "x-ios-bundle-identifier"
    /// The token of a registered installation.
    package static let installation = "x-goog-firebase-installations-auth"
    /// The confidence, from 0 to 1, below which clients drop results.
    package static let confidenceThreshold = "x-sightline-confidence-threshold"
    /// The id of a rollout, and the part of the installation in it.
    package static let rollout = "x-sightline-rollout"
    /// In a request for a download, any value: the app trusts keys. In the response, the signed manifest in base64url.
    package static let manifest = "x-sightline-manifest"
    /// In a request for a download, the formats of models that the client reads, such as `tflite, onnx`. Without the field, a client gets
    /// only what Firebase's clients read.
    package static let formats = "x-sightline-formats"
}
