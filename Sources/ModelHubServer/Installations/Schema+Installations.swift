import HTTPServing

/// The schemas of installations.
extension Schema {
    static let installation = object("A registered installation.").fields([
        "name": .text("`projects/NUMBER/installations/FID`."),
        "fid": .text("The id of the installation. Keep it."),
        "refreshToken": .text("Creates new tokens. It does not expire."),
        "authToken": .authToken,
    ]).named("Installation")

    static let installationInput = object("An installation of an app that registers.").fields([
        "fid?": .text(
            "The id of the installation, which the app chooses once and keeps: 22 characters of base64url that begin with `c`, `d`, `e` or `f`. The hub chooses another id in place of a malformed one."
        ),
        "appId?": .text(
            "The id of the app, such as `1:987654321098:android:0123456789abcdef`. Conditions of Remote Config read the platform from its third part."
        ),
        "authVersion?": .text("Ignored. Firebase's SDKs send `FIS_v2`."),
        "sdkVersion?": .text("Ignored."),
    ]).open.named("InstallationInput")

    static let authToken = object("A token that proves a registration.").fields([
        "token": .text("Send it in the header `X-Goog-Firebase-Installations-Auth`."),
        "expiresIn": .text("The lifetime in seconds, such as `604800s`."),
    ]).named("AuthToken")
}
