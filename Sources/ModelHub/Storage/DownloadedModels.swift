import DurableFiles
import Foundation
import ModelHubProtocol
import Sightline

/// The folder of downloaded models, which several processes may share.
///
/// - `files/HASH.tflite`, `files/HASH.onnx`: models by their SHA-256, never changed. The contents decide about the ending.
/// - `models/NAME.json`: the hash of each model, by name; replaced as a whole. `models/NAME@ALIAS.json` is that of the
///   version with an alias other than `production`.
/// - `manifests/NAME.json`: the newest manifest that was seen of each model, if the app trusts keys.
/// - `partial/HASH.part`: unfinished downloads.
/// - `installation`: the id of this installation of the app, see ``InstallationID``.
/// - `lock`: held while models are installed or removed.
struct DownloadedModels: Sendable {
    let folder: URL

    /// The time for which a file stays after its last name was removed.
    static let gracePeriod = 24 * 3600
    /// The time for which an unfinished download stays without being resumed.
    static let partialLifetime = 7 * 24 * 3600

    /// The path of the lock of a folder of models.
    static func lock(of folder: URL) -> String { folder.appending(path: "lock").path }

    private var files: URL { folder.appending(path: "files") }
    private var models: URL { folder.appending(path: "models") }
    private var partial: URL { folder.appending(path: "partial") }

    /// The contents of a name's file.
    fileprivate struct Pointer: Codable {
        var name: String
        /// Nil for `production`.
        var alias: ModelAlias?
        var hash: String
        var size: Int
        var confidenceThreshold: Float?
        var assignment: ExperimentAssignment?

        var model: RemoteModel { RemoteModel(name: name, alias: alias ?? .production) }
    }

    /// Creates the folders; required before anything is stored.
    func prepare() throws(DurableFileError) {
        for url in [files, models, partial] { try DurableFile.makeFolder(url) }
        #if canImport(Darwin)
            for folder in [files, partial] { Self.excludeFromBackup(folder) }
        #endif
    }

    #if canImport(Darwin)
        /// Models can be downloaded again, so they need no place in the user's backups.
        private static func excludeFromBackup(_ folder: URL) {
            var folder = folder
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // A download does not fail because a backup is larger.
            try? folder.setResourceValues(values)
        }
    #endif

    // MARK: - Reading

    /// The downloaded version of a model, if its file exists and is complete.
    func model(_ model: RemoteModel) -> DownloadedModel? {
        pointer(in: pointer(to: model)).flatMap { $0.model == model ? self.model($0) : nil }
    }

    private func pointer(in file: URL) -> Pointer? {
        guard let data = try? Data(contentsOf: file),
            let pointer = try? JSONDecoder().decode(Pointer.self, from: data), SHA256.isHexadecimalDigest(pointer.hash)
        else { return nil }
        return pointer
    }

    private func model(_ pointer: Pointer) -> DownloadedModel? {
        let url = file(of: pointer.hash)
        guard DurableFile.size(url) == pointer.size else { return nil }
        return DownloadedModel(
            name: pointer.name,
            alias: pointer.model.alias,
            hash: pointer.hash,
            size: pointer.size,
            url: url,
            confidenceThreshold: pointer.confidenceThreshold,
            assignment: pointer.assignment
        )
    }

    /// All models, by name and alias. Other files in the folder are ignored.
    func allModels() throws(DurableFileError) -> [DownloadedModel] {
        try names(in: models).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
            .compactMap { name in
                let file = models.appending(path: name)
                return pointer(in: file).flatMap { pointer(to: $0.model).path == file.path ? model($0) : nil }
            }
            .sorted { ($0.name, $0.alias.rawValue) < ($1.name, $1.alias.rawValue) }
    }

    private func names(in folder: URL) throws(DurableFileError) -> [String] {
        if let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) { return names }
        guard access(folder.path, R_OK | X_OK) != 0 else {
            throw DurableFileError(path: folder.path, code: ENOTDIR, operation: .read)
        }
        if errno == ENOENT { return [] }
        throw DurableFileError(path: folder.path, code: errno, operation: .read)
    }

    private func pointer(to model: RemoteModel) -> URL {
        models.appending(path: Self.fileName(of: model))
    }

    /// The name of the files about a model.
    static func fileName(of model: RemoteModel) -> String {
        // Neither names nor aliases contain "@".
        "\(model.name)\(model.alias == .production ? "" : "@\(model.alias)").json"
    }

    /// The place of a model's file.
    private func file(of hash: String) -> URL {
        let onnx = file(of: hash, .onnx)
        return DurableFile.size(onnx) == nil ? file(of: hash, .tensorFlowLite) : onnx
    }

    private func file(of hash: String, _ format: HostedFormat) -> URL {
        files.appending(path: "\(hash).\(format.fileExtension)")
    }

    // MARK: - Changing

    /// The result of an installation.
    enum Outcome {
        case installed(DownloadedModel)
        /// Another process accepted a newer version meanwhile, so that nothing was installed.
        case superseded

        /// The installed model; nil if nothing was installed.
        var model: DownloadedModel? { if case .installed(let model) = self { model } else { nil } }
    }

    /// Opens the file for a download. If another process or an earlier download of this process has it open, the
    /// download uses its own file and does not wait.
    func partialFile(of hash: String) throws(DurableFileError) -> PartialFile {
        try prepare()
        for name in [hash, "\(hash).\(UUID().uuidString)"] {
            if let file = try PartialFile.opened(partial.appending(path: "\(name).part").path) { return file }
        }
        throw DurableFileError(path: partial.path, code: EAGAIN)
    }

    /// Assigns a model to an existing file; nil if the file is missing or damaged.
    func adopt(_ info: ModelInfo, as model: RemoteModel) throws(DurableFileError) -> Outcome? {
        let url = file(of: info.hash)
        guard DurableFile.size(url) == info.size, try DurableFile.sha256(of: url) == info.hash else { return nil }
        return try withLock { () throws(DurableFileError) in
            guard DurableFile.size(url) == info.size else { return nil }
            if isSuperseded(info, of: model) { return .superseded }
            return .installed(try point(Pointer(info, model)))
        }
    }

    /// Stores a new threshold and a new rollout for a model whose file is still the newest.
    func set(
        _ threshold: Float?,
        _ assignment: ExperimentAssignment?,
        of model: DownloadedModel
    ) throws(DurableFileError) -> DownloadedModel {
        if model.confidenceThreshold == threshold, model.assignment == assignment { return model }
        return try withLock { () throws(DurableFileError) in
            var changed = model
            (changed.confidenceThreshold, changed.assignment) = (threshold, assignment)
            // Another process may have installed a newer version with its own threshold meanwhile.
            let remote = RemoteModel(name: model.name, alias: model.alias)
            guard self.model(remote)?.hash == model.hash else { return changed }
            return try point(
                Pointer(
                    remote,
                    hash: model.hash,
                    size: model.size,
                    confidenceThreshold: threshold,
                    assignment: assignment
                )
            )
        }
    }

    /// Installs a downloaded and verified file as a model. First the bytes are synchronized to disk, then the file is
    /// moved into place, and then the model's name refers to it.
    func install(
        _ file: PartialFile,
        of info: ModelInfo,
        as model: RemoteModel
    ) throws(DurableFileError) -> Outcome {
        try file.synchronize()
        return try withLock { () throws(DurableFileError) in
            if isSuperseded(info, of: model) { return .superseded }
            let format: HostedFormat = ModelFormat.isONNX(at: URL(filePath: file.path)) ? .onnx : .tensorFlowLite
            try DurableFile.move(file.path, to: self.file(of: info.hash, format))
            return .installed(try point(Pointer(info, model)))
        }
    }

    /// Requires the lock.
    private func point(_ new: Pointer) throws(DurableFileError) -> DownloadedModel {
        let old = model(new.model)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // A pointer contains only texts and finite numbers, so encoding it as JSON cannot fail.
        try DurableFile.write((try? encoder.encode(new)) ?? Data(), to: pointer(to: new.model))
        // From now on its modification time shows since when no name refers to it.
        if let old, old.hash != new.hash { utimes(old.url.path, nil) }
        removeLeftovers()
        return DownloadedModel(
            name: new.name,
            alias: new.model.alias,
            hash: new.hash,
            size: new.size,
            url: file(of: new.hash),
            confidenceThreshold: new.confidenceThreshold,
            assignment: new.assignment
        )
    }

    /// Removes a model's name and alias, and its file unless another name refers to it; false if the name does not exist.
    func remove(_ model: RemoteModel) throws(DurableFileError) -> Bool {
        var status = stat()
        let file = pointer(to: model)
        guard lstat(file.path, &status) == 0 else { return false }
        return try withLock { () throws(DurableFileError) in
            let old = self.model(model)
            guard unlink(file.path) == 0 else {
                if errno == ENOENT { return false }
                throw DurableFileError(path: file.path, code: errno)
            }
            try DurableFile.synchronizeFolder(models)
            if let old, try !allModels().contains(where: { $0.hash == old.hash }) { unlink(old.url.path) }
            return true
        }
    }

    /// Removes files that no name refers to and no download uses. Files that cannot be removed stay until the next
    /// time.
    private func removeLeftovers() {
        let now = time(nil)
        func isOlder(_ url: URL, than age: Int) -> Bool {
            var status = stat()
            return lstat(url.path, &status) == 0 && status.st_mtim.tv_sec < now - age
        }
        guard let needed = try? Set(allModels().map(\.hash)) else { return }
        for name in (try? names(in: files)) ?? [] where !needed.contains(String(name.prefix { $0 != "." })) {
            let url = files.appending(path: name)
            if isOlder(url, than: Self.gracePeriod) { unlink(url.path) }
        }
        for name in (try? names(in: partial)) ?? [] where name.hasSuffix(".part") {
            let url = partial.appending(path: name)
            if isOlder(url, than: Self.partialLifetime) { PartialFile.removeUnlessOpen(url.path) }
        }
        for name in (try? names(in: models)) ?? [] where name.hasPrefix(DurableFile.partialPrefix) {
            let url = models.appending(path: name)
            if isOlder(url, than: Self.gracePeriod) { unlink(url.path) }
        }
    }

    /// Prevents other processes, and other managers in this process, from changing names meanwhile. Holders of the lock
    /// never wait for a network.
    func withLock<Result>(_ body: () throws(DurableFileError) -> Result) throws(DurableFileError) -> Result {
        try prepare()
        return try FileLock.taken(Self.lock(of: folder)).whileHeld(body)
    }
}

extension DownloadedModels.Pointer {
    fileprivate init(_ info: ModelInfo, _ model: RemoteModel) {
        self.init(
            model,
            hash: info.hash,
            size: info.size,
            confidenceThreshold: info.confidenceThreshold,
            assignment: info.assignment
        )
    }

    fileprivate init(
        _ model: RemoteModel,
        hash: String,
        size: Int,
        confidenceThreshold: Float?,
        assignment: ExperimentAssignment?
    ) {
        self.init(
            name: model.name,
            alias: model.alias == .production ? nil : model.alias,
            hash: hash,
            size: size,
            confidenceThreshold: confidenceThreshold,
            assignment: assignment
        )
    }
}
