import Foundation
import TensorFlowLite

/// The installed models of a user: a folder that holds one folder for each model.
///
/// A model's folder holds `model.tflite`, `installed.json`, and where they are needed `labels.txt` and
/// `model.sightline.json`. Folders appear and disappear as a whole. A folder without `installed.json` is not the store's: it
/// is neither listed nor replaced nor removed.
public struct ModelStore: Sendable, Hashable {
    /// The folder of all models, which need not exist.
    public let folder: URL

    /// A store in a folder.
    public init(folder: URL) {
        self.folder = folder
    }

    /// The store of the user: `sightline/models` in the folder that `XDG_DATA_HOME` names, otherwise in `~/.local/share`.
    public static func ofUser(environment: [String: String] = ProcessInfo.processInfo.environment) -> ModelStore {
        ModelStore(folder: UserDataFolder.ofUser(environment: environment).appending(path: "sightline/models"))
    }

    /// The installed models by name.
    public func installed() -> [InstalledModel] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { self[$0] }
    }

    /// The installed model of a name; nil if there is none.
    public subscript(name: String) -> InstalledModel? {
        guard ModelName.isValid(name) else { return nil }
        let place = place(of: name)
        guard isInstalled(name),
            FileManager.default.fileExists(atPath: place.appending(path: InstalledModel.modelFile).path)
        else { return nil }
        let record = (try? Data(contentsOf: place.appending(path: InstalledModel.recordFile))).flatMap {
            try? JSONDecoder().decode(InstalledModel.Record.self, from: $0)
        }
        return InstalledModel(name: name, folder: place, record: record)
    }

    /// The installed model of a name.
    ///
    /// - Throws: `ModelCatalogError.invalidName`, `.notInstalled`.
    public func model(named name: String) throws(ModelCatalogError) -> InstalledModel {
        try ModelName.check(name)
        guard let model = self[name] else {
            throw .notInstalled(name: name, installed: installed().map(\.name))
        }
        return model
    }

    /// Removes an installed model, or what is left of a download that broke off.
    ///
    /// - Throws: `ModelCatalogError.invalidName`, `.notInstalled`, `.foreignFolder` if something else lies in its place, or
    ///   what the system says.
    public func remove(_ name: String) throws(ModelCatalogError) {
        try ModelName.check(name)
        let place = place(of: name).path
        let isThere = try isReplaceable(name)
        guard isThere || FileManager.default.fileExists(atPath: workplace(of: name).path) else {
            throw .notInstalled(name: name, installed: installed().map(\.name))
        }
        try withLock { () throws(ModelCatalogError) in
            let removed = workplace(of: name).path + ".removed"
            try discard(removed)
            if isThere {
                guard rename(place, removed) == 0 else { throw .system(errno, path: place) }
            }
            try discard(removed)
            try discard(workplace(of: name).path)
        }
    }

    // MARK: - For installing

    /// Whether the folder of a name was made by ``install(_:progress:)``.
    private func isInstalled(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: place(of: name).appending(path: InstalledModel.recordFile).path)
    }

    /// Whether there is a folder of a name, which may then be replaced or removed.
    ///
    /// - Throws: `ModelCatalogError.foreignFolder` if something is there that was not installed.
    func isReplaceable(_ name: String) throws(ModelCatalogError) -> Bool {
        let place = place(of: name).path
        var status = stat()
        guard lstat(place, &status) == 0 else { return false }
        guard isInstalled(name) else { throw .foreignFolder(path: place) }
        return true
    }

    func place(of name: String) -> URL { folder.appending(path: name) }

    /// Where a model is put together; its name begins with a dot, which no model's does.
    func workplace(of name: String) -> URL { folder.appending(path: ".partial-\(name)") }

    /// Makes the folder and keeps other processes from changing it meanwhile.
    func withLock<Result>(_ body: () throws(ModelCatalogError) -> Result) throws(ModelCatalogError) -> Result {
        try makeFolder(folder)
        let lock = folder.appending(path: ".lock").path
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path: lock) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy(path: folder.path) : .system(errno, path: lock)
        }
        return try body()
    }

    func makeFolder(_ url: URL) throws(ModelCatalogError) {
        if mkdir(url.path, 0o755) == 0 { return }
        switch errno {
        case EEXIST:
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw .file(path: url.path, reason: "it is a file, not a folder")
            }
        case ENOENT where url.path != "/":
            try makeFolder(url.deletingLastPathComponent())
            guard mkdir(url.path, 0o755) == 0 || errno == EEXIST else { throw .system(errno, path: url.path) }
        case let code:
            throw .system(code, path: url.path)
        }
    }

    /// Removes a file, a link or a folder with all that is in it, if it is there.
    func discard(_ path: String) throws(ModelCatalogError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileWriteNoPermission {
            throw .permissionDenied(path: path)
        } catch {
            throw .file(path: path, reason: "\(error)")
        }
    }
}

/// A model in a store.
public struct InstalledModel: Sendable, Hashable {
    /// What is known of where a model came from.
    public struct Record: Sendable, Hashable, Codable {
        /// The address or path that it came from.
        public var source: String
        /// Its length.
        public var byteCount: Int
        /// Its SHA-256 in lower-case hexadecimal digits.
        public var sha256: String
        /// Whether that was compared with what somebody had verified.
        public var isVerified: Bool
    }

    /// Its name.
    public let name: String
    /// Its folder.
    public let folder: URL
    /// Where it came from; nil if the record is damaged.
    public let record: Record?

    /// The model file.
    public var model: URL { folder.appending(path: Self.modelFile) }

    static let modelFile = "model.tflite"
    static let labelFile = "labels.txt"
    static let sidecarFile = "model.sightline.json"
    static let recordFile = "installed.json"
}
