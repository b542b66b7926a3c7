// swift-format-ignore-file
public import Foundation
public import ModelHub

public enum HubAppError: Error {
    case notConfigured(reason: String?)
}
public struct HubAppOptions: Sendable, Hashable {
    public var googleAppID = ""
    public var apiKey: String?
    public var projectID: String?
    public var bundleID = ""
    public var modelHub: URL?
    public var modelFolder: URL?
    public init() {}
    public init(propertyList: [String: Any]) {}
    public init?(contentsOfFile path: String) {}
    public static func propertyList(atPath path: String) -> [String: Any]? { nil }
    public static var defaultPath: String? { nil }
    public static var noDefaultOptions: String { "" }
    public func modelManager(app: String) -> Result<ModelManager, HubAppError> { fatalError() }
}
public enum HubApp {
    public static func configure() {}
    public static func configure(options: HubAppOptions) {}
    public static func configure(_ manager: Result<ModelManager, HubAppError>) {}
    public static func forget() {}
    public static func modelManager() throws(HubAppError) -> ModelManager { fatalError() }
}
