import Foundation
import ModelHub

/// When a model may be downloaded. (`MLKModelDownloadConditions`)
public final class ModelDownloadConditions: NSObject, NSCopying, Sendable {
    /// Whether a link may be used that costs by volume: a cellular one, or on Linux one that NetworkManager calls metered.
    public let allowsCellularAccess: Bool
    /// Whether the download may go on while the app is in the background; on Linux it does in any case.
    public let allowsBackgroundDownloading: Bool

    /// Conditions by their parts.
    public init(allowsCellularAccess: Bool, allowsBackgroundDownloading: Bool) {
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsBackgroundDownloading = allowsBackgroundDownloading
    }

    /// Any link, in the foreground.
    public convenience override init() {
        self.init(allowsCellularAccess: true, allowsBackgroundDownloading: false)
    }

    /// The same object, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another object says the same.
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
