import Foundation
import ModelHub

/// When a model may be downloaded. It never changes.
public final class ModelDownloadConditions: NSObject, NSCopying, Sendable {
    /// Whether a link may be used that costs by volume: a cellular one, or another that the system says is metered.
    public let allowsCellularAccess: Bool
    /// Whether the download may go on while the app is in the background. Linux suspends no process in the background, so that
    /// downloads go on there whatever this says.
    public let allowsBackgroundDownloading: Bool

    /// Conditions by their parts.
    public init(allowsCellularAccess: Bool, allowsBackgroundDownloading: Bool) {
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsBackgroundDownloading = allowsBackgroundDownloading
    }

    /// Any link, and in the foreground.
    public convenience override init() { self.init(allowsCellularAccess: true, allowsBackgroundDownloading: false) }

    /// The same conditions, since they never change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another object is conditions with the same parts.
    public override func isEqual(_ object: Any?) -> Bool { (object as? ModelDownloadConditions)?.values == values }

    /// Equal for equal conditions.
    public override var hash: Int { values.hashValue }

    var values: ModelHub.ModelDownloadConditions {
        ModelHub.ModelDownloadConditions(
            allowsCellularAccess: allowsCellularAccess,
            allowsBackgroundDownloading: allowsBackgroundDownloading
        )
    }
}
