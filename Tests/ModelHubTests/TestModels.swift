import Crypto
import Foundation
import ModelHub
import Synchronization
import Testing

/// Files that look like models, each number another one.
func fakeModel(_ number: Int = 1, byteCount: Int = 64) -> Data {
    Data([0x1c, 0, 0, 0]) + Data("TFL3".utf8) + Data("\(number)".utf8) + Data(repeating: 7, count: byteCount)
}

func sha256(_ data: Data) -> String { SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined() }

extension ModelManager {
    /// A manager that knows a server by its address and hardly pauses between tries.
    static func testing(
        _ address: String,
        folder: URL,
        key: String = "key",
        app: String? = nil,
        trustedRoots: URL? = nil,
        network: any NetworkConditions = FixedNetwork(isMetered: false),
        _ change: (inout ModelHubConfiguration) throws -> Void = { _ in }
    ) throws -> ModelManager {
        var configuration = ModelHubConfiguration(
            hub: try #require(URL(string: address)),
            projectID: "my-plants",
            apiKey: key,
            appID: app,
            bundleID: "org.example.plants",
            trustedRoots: trustedRoots
        )
        // A request that a busy machine delays is not repeated.
        configuration.idleTimeout = .seconds(600)
        try change(&configuration)
        return ModelManager(
            configuration: configuration,
            folder: folder,
            network: network,
            retry: RetryPolicy(base: .milliseconds(1), maximum: .milliseconds(2))
        )
    }
}

/// A link of which the test says what it costs.
struct FixedNetwork: NetworkConditions {
    let isMetered: Bool
    func isMetered() async -> Bool { isMetered }
}

/// The values that a closure saw.
final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
}

/// The error that a download ends with.
func failure(of body: () async throws -> DownloadedModel) async throws -> DownloadError {
    let model: DownloadedModel
    do { model = try await body() } catch let error as DownloadError { return error }
    throw UnexpectedSuccess(model: model)
}

struct UnexpectedSuccess: Error {
    let model: DownloadedModel
}

/// The files in a folder and below, as paths from it.
func contents(of folder: URL) -> Set<String> {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return Set(
        paths.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    )
}

/// The notifications of one kind about a model while the value lives.
final class Notifications<Value: Sendable>: Sendable {
    private let log = Log<Value>()
    // Only handed back to the center that gave it out, which any thread may do.
    private nonisolated(unsafe) let observer: any NSObjectProtocol

    init(_ name: Notification.Name, of model: RemoteModel, _ key: ModelDownloadUserInfoKey) {
        observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [log] note in
            let info = note.userInfo ?? [:]
            guard info[ModelDownloadUserInfoKey.remoteModel.rawValue] as? RemoteModel == model,
                let value = info[key.rawValue] as? Value
            else { return }
            log.add(value)
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    /// In the order in which they came.
    var all: [Value] { log.all }
}
