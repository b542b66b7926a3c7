import Foundation
import HTTPServing

/// The key pair that signs requests to S3-compatible storage.
package struct S3Credentials: Sendable, Hashable {
    /// The public part.
    package var accessKey: String
    /// The secret part, which is never sent.
    package var secretKey: Secret
    /// The token of temporary credentials, if any.
    package var sessionToken: Secret?

    /// Creates a key pair.
    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = Secret(secretKey)
        self.sessionToken = sessionToken.map(Secret.init)
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    ///
    /// - Throws: `.invalidArgument` if a key is missing.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(HubError) {
        guard let accessKey = environment["AWS_ACCESS_KEY_ID"], !accessKey.isEmpty,
            let secretKey = environment["AWS_SECRET_ACCESS_KEY"], !secretKey.isEmpty
        else {
            throw HubError(
                .invalidArgument,
                "The environment has no credentials for the storage; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        }
        let token = environment["AWS_SESSION_TOKEN"] ?? ""
        self.init(accessKey: accessKey, secretKey: secretKey, sessionToken: token.isEmpty ? nil : token)
    }
}
