import HTTPServing
import HTTPTypes
import ModelHubProtocol

/// Header names of Google's clients and of the hub.
extension HTTPField.Name {
    static let googAPIKey = named(HubHeader.apiKey)
    static let googUserProject = named(HubHeader.userProject)
    static let installationToken = named(HubHeader.installation)
    static let uploadID = named("x-guploader-uploadid")
    static let uploadContentType = named("x-upload-content-type")
    static let uploadContentLength = named("x-upload-content-length")
    static let sentFile = named("x-sightline-sent-file")
    static let confidenceThreshold = named(HubHeader.confidenceThreshold)
    static let rollout = named(HubHeader.rollout)
    static let manifest = named(HubHeader.manifest)
    static let formats = named(HubHeader.formats)
    static let firebaseClient = named("x-firebase-client")
    static let googHash = named("x-goog-hash")
    static let xFrameOptions = named("x-frame-options")
    static let referrerPolicy = named("referrer-policy")
    static let openerPolicy = named("cross-origin-opener-policy")
    static let resourcePolicy = named("cross-origin-resource-policy")
    static let permissionsPolicy = named("permissions-policy")
}
