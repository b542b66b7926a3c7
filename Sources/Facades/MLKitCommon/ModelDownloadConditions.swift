import Foundation
import ModelHub

/// The conditions under which a model may be downloaded. (`MLKModelDownloadConditions`)
#if canImport(ObjectiveC)
    @objc(MLKModelDownloadConditions) @objcMembers
#endif
public final class ModelDownloadConditions: NSObject, NSCopying, Sendable {
    /// Whether the download may use metered links, such as cellular links. This has no effect on Linux, which does not report them.
    public let allowsCellularAccess: Bool
    /// Whether the download may continue while the app is in the background. This has no effect: on Linux downloads
    /// always continue; on Apple's systems they pause with the app and continue with it.
    public let allowsBackgroundDownloading: Bool

    /// Creates conditions from their parts.
    public init(allowsCellularAccess: Bool, allowsBackgroundDownloading: Bool) {
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsBackgroundDownloading = allowsBackgroundDownloading
    }

    /// Creates conditions for any link, in the foreground.
    public convenience override init() {
        self.init(allowsCellularAccess: true, allowsBackgroundDownloading: false)
    }

    /// Returns the same object, because it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another object has the same values.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? ModelDownloadConditions)?.values == values
    }

    /// Equal for equal conditions.
    public override var hash: Int { values.hashValue }

    var values: ModelHub.ModelDownloadConditions {
        ModelHub.ModelDownloadConditions(
            allowsCellularAccess: allowsCellularAccess,
            allowsBackgroundDownloading: allowsBackgroundDownloading
        )
    }
}
