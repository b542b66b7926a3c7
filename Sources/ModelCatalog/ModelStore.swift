import DurableFiles
import Foundation
import ModelHubProtocol
import Sightline

/// The installed models of a user: a folder that contains a folder for each model.
///
/// A model's folder contains `model.tflite` or `model.onnx`, `installed.json`, and if necessary `labels.txt` and
/// `model.sightline.json`. Folders appear and disappear as a whole. A folder without `installed.json` does not belong
/// to the store: it is never listed, replaced or removed.
public struct ModelStore: Sendable, Hashable {
    /// The folder of all models, which need not exist yet.
    public let folder: URL
    /// The policy for repeating downloads after temporary failures.
    let retry: RetryPolicy

    /// Creates a store in a folder.
    ///
    /// - Parameter retry: The policy for repeating downloads after temporary failures.
    public init(folder: URL, retry: RetryPolicy = RetryPolicy(tries: 3, base: .milliseconds(500))) {
        self.folder = folder
        self.retry = retry
    }

    /// The user's store: `sightline/models` in the folder `$XDG_DATA_HOME`, or in `~/.local/share`.
    public static func ofUser(environment: [String: String] = ProcessInfo.processInfo.environment) -> ModelStore {
        ModelStore(folder: UserDataFolder.ofUser(environment: environment).appending(path: "sightline/models"))
    }

    /// The installed models, by name.
    public func installed() -> [InstalledModel] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { self[$0] }
    }

    /// The installed model with the given name; nil if it is not installed.
    public subscript(name: String) -> InstalledModel? {
        guard ModelName.isValid(name) else { return nil }
        let place = place(of: name)
        guard isInstalled(name), InstalledModel.modelFile(in: place.path) != nil else { return nil }
        let record = (try? Data(contentsOf: place.appending(path: InstalledModel.recordFile))).flatMap {
            try? JSONDecoder().decode(InstalledModel.Record.self, from: $0)
        }
        return InstalledModel(name: name, folder: place, record: record)
    }

    /// The installed model with the given name.
    ///
    /// - Throws: `ModelCatalogError.invalidName`, `.notInstalled`.
    public func model(named name: String) throws(ModelCatalogError) -> InstalledModel {
        try ModelName.check(name)
        guard let model = self[name] else {
            throw .notInstalled(name: name, installed: installed().map(\.name))
        }
        return model
    }

    /// Removes an installed model, or the remains of an interrupted download.
    ///
    /// - Throws: `ModelCatalogError.invalidName`, `.notInstalled`, `.foreignFolder` if another folder has the name, or
    ///   the error of the system. Nothing removes the built-in models.
    public func remove(_ name: String) throws(ModelCatalogError) {
        try ModelName.check(name)
        let place = place(of: name).path
        let isThere = try isReplaceable(name)
        if name == DefaultModel.builtIn, !isThere { throw .reservedName(name) }
        guard isThere || FileManager.default.fileExists(atPath: stagingFolder(of: name).path) else {
            throw .notInstalled(name: name, installed: installed().map(\.name))
        }
        try withLock { () throws(ModelCatalogError) in
            let removed = replacedFolder(of: name).path
            try discard(removed)
            if isThere {
                guard rename(place, removed) == 0 else {
                    throw ModelCatalogError(DurableFileError(path: place, code: errno))
                }
            }
            try discard(removed)
            try discard(stagingFolder(of: name).path)
        }
    }

    // MARK: - Support for installing

    /// Whether the folder of a model was created by ``install(_:progress:)``.
    private func isInstalled(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: place(of: name).appending(path: InstalledModel.recordFile).path)
    }

    /// Whether a model's folder exists and may be replaced or removed.
    ///
    /// - Throws: `ModelCatalogError.foreignFolder` if the folder was not created by an installation.
    func isReplaceable(_ name: String) throws(ModelCatalogError) -> Bool {
        let place = place(of: name).path
        var status = stat()
        guard lstat(place, &status) == 0 else { return false }
        guard isInstalled(name) else { throw .foreignFolder(path: place) }
        return true
    }

    func place(of name: String) -> URL { folder.appending(path: name) }

    /// The folder in which a model is prepared. Its name begins with a dot, unlike those of models.
    func stagingFolder(of name: String) -> URL { folder.appending(path: ".partial-\(name)") }

    /// The folder in which a model that was replaced or removed waits for its removal.
    func replacedFolder(of name: String) -> URL { folder.appending(path: ".partial-\(name).removed") }

    /// Creates the folder and prevents other processes from changing it meanwhile.
    func withLock<Result>(_ body: () throws(ModelCatalogError) -> Result) throws(ModelCatalogError) -> Result {
        let lock = try ModelCatalogError.storing { () throws(DurableFileError) in
            try DurableFile.makeFolder(folder)
            return try FileLock.takenIfFree(folder.appending(path: ".lock").path)
        }
        guard let lock else { throw .busy(path: folder.path) }
        return try lock.whileHeld(body)
    }

    /// Removes a file, a link, or a folder with its contents, if it exists.
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
    /// The origin of a model.
    public struct Record: Sendable, Hashable, Codable {
        /// The address or path of the source.
        public var source: String
        /// The size in bytes.
        public var byteCount: Int
        /// The SHA-256 in lower-case hexadecimal digits.
        public var sha256: String
        /// Whether the SHA-256 was compared with a verified value.
        public var isVerified: Bool
    }

    /// The name of the model.
    public let name: String
    /// The folder of the model.
    public let folder: URL
    /// The origin; nil if the record is damaged.
    public let record: Record?

    /// The model file.
    public var model: URL { folder.appending(path: Self.modelFile(in: folder.path) ?? Self.modelFiles[0]) }

    /// The names that the model file may have, the usual one first.
    static let modelFiles = ModelFormat.extensions.map { "model.\($0)" }

    /// The name of the model file in a folder; nil if the folder has none.
    static func modelFile(in folder: String) -> String? {
        modelFiles.first { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
    }

    static let labelFile = "labels.txt"
    static let sidecarFile = "model.sightline.json"
    static let recordFile = "installed.json"
}
