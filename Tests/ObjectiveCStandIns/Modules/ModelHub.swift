// swift-format-ignore-file
public struct ModelDownloadConditions: Sendable, Hashable {
    public init(allowsCellularAccess: Bool, allowsBackgroundDownloading: Bool) {}
}
public final class ModelManager: Sendable {}
