/// The registration of an app on a device, in the API of Firebase installations.
package struct InstallationRequest: Codable, Sendable {
    /// The id that the app requests; see ``FirebaseInstallationID``.
    package var fid: String?
    package var appId: String?
    package var authVersion: String?
    package var sdkVersion: String?

    /// Creates a request of an app.
    package init(fid: String, appId: String) {
        self.fid = fid
        self.appId = appId
        authVersion = "FIS_v2"
        sdkVersion = "i:12.0.0"
    }
}

/// A registered installation.
package struct InstallationResource: Codable, Sendable {
    /// A token that proves the registration.
    package struct AuthToken: Codable, Sendable {
        package var token: String
        /// For example `604800s`. The mobile clients drop the last character and parse a number.
        package var expiresIn: String?

        /// Creates a token that is valid for a number of seconds.
        package init(token: String, seconds: Int) {
            self.token = token
            expiresIn = "\(seconds)s"
        }
    }

    package var name: String?
    package var fid: String?
    package var refreshToken: String?
    package var authToken: AuthToken

    /// Creates a registered installation.
    package init(name: String, fid: String, refreshToken: String, authToken: AuthToken) {
        self.name = name
        self.fid = fid
        self.refreshToken = refreshToken
        self.authToken = authToken
    }
}
