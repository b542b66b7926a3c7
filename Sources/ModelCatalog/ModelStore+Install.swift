import DurableFiles
import Foundation
import Sightline
import TensorFlowLite

/// The source of a model.
public enum ModelSource: Sendable, Hashable {
    /// The file itself: an https address, an http address of this machine, or a path.
    case file(String)
    /// A folder, or the address of a folder, with `NAME/model.tflite` for each model, as in a store. In a folder it may be `NAME/model.onnx`.
    case mirror(String)

    /// Whether this is a file at a path, and not an address or a mirror.
    public var isLocalFile: Bool {
        if case .file(let location) = self { !Self.isAddress(location) } else { false }
    }

    static func isAddress(_ location: String) -> Bool { location.contains("://") }

    private static func location(of name: String, inMirror mirror: String) -> String {
        let found = isAddress(mirror) ? nil : InstalledModel.modelFile(in: mirror + name)
        return "\(mirror)\(name)/\(found ?? InstalledModel.modelFiles[0])"
    }

    /// The address or path of a model's file.
    func location(of name: String) -> String {
        switch self {
        case .file(let location): location
        case .mirror(let folder):
            Self.location(of: name, inMirror: folder.hasSuffix("/") ? folder : folder + "/")
        }
    }
}

/// A request to install a model.
public struct Installation: Sendable {
    /// The name of the installed model.
    public var name: String
    /// The source of the file.
    public var source: ModelSource
    /// The expected SHA-256 in hexadecimal digits; nil if it is not verified.
    public var sha256: String?
    /// The expected size in bytes; nil if it is not verified.
    public var byteCount: Int?
    /// Whether an unverified model may be installed.
    public var acceptsUnverified = false
    /// The model's entry in the catalog.
    public var entry: CatalogEntry?

    /// Creates a request for a model of the catalog from its own address.
    public init(_ entry: CatalogEntry) {
        name = entry.name
        source = .file(entry.address)
        sha256 = entry.sha256
        byteCount = entry.byteCount
        self.entry = entry
    }

    /// Creates a request for any model.
    public init(name: String, source: ModelSource, sha256: String? = nil) {
        self.name = name
        self.source = source
        self.sha256 = sha256
    }
}

extension ModelStore {
    /// Fetches a model, verifies it, and adds it to the store as a whole; until then the store stays unchanged.
    ///
    /// The next attempt resumes an interrupted download. A model that is already present with the right contents is not
    /// fetched again; another model with the same name is replaced.
    ///
    /// - Parameter progress: Called with the number of received bytes and, if known, the total.
    /// - Throws: `ModelCatalogError`.
    @discardableResult
    public func install(
        _ installation: Installation,
        progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
    ) throws(ModelCatalogError) -> InstalledModel {
        let name = installation.name
        try ModelName.check(name)
        guard name != DefaultModel.builtIn else { throw .reservedName(name) }
        let expected = try installation.sha256.map { (text) throws(ModelCatalogError) in try Self.hash(text) }
        guard expected != nil || installation.acceptsUnverified else { throw .unverified(name: name) }
        return try withLock { () throws(ModelCatalogError) in
            _ = try isReplaceable(name)
            try discard(replacedFolder(of: name).path)
            if let expected, let there = self[name], there.record?.sha256 == expected,
                try ModelCatalogError.storing({ () throws(DurableFileError) in
                    try DurableFile.sha256(of: there.model)
                }) == expected
            {
                return there
            }
            let staging = stagingFolder(of: name)
            try ModelCatalogError.storing { () throws(DurableFileError) in try DurableFile.makeFolder(staging) }
            // The file gets the name of its format when it is complete.
            let file = staging.appending(path: InstalledModel.modelFiles[0]).path
            let location = installation.source.location(of: name)
            do throws(ModelCatalogError) {
                let found = try fetch(location, into: file, installation, expected: expected, progress: progress)
                try write(installation, found: found, isVerified: expected != nil, from: location, in: staging)
                try giveNameOfFormat(file, source: location)
                try publish(name)
            } catch {
                // Only the beginning of a file is worth keeping.
                if Download.Origin.read(beside: file) == nil { try discard(staging.path) }
                throw error
            }
            return try model(named: name)
        }
    }

    /// The digits of a SHA-256 in lower case.
    private static func hash(_ text: String) throws(ModelCatalogError) -> String {
        let digits = text.lowercased()
        guard SHA256.isHexadecimalDigest(digits) else { throw .invalidHash(text) }
        return digits
    }

    // MARK: - Fetching

    /// Fetches the file and verifies it; returns its SHA-256.
    private func fetch(
        _ location: String,
        into file: String,
        _ installation: Installation,
        expected: String?,
        progress: (Int, Int?) -> Void
    ) throws(ModelCatalogError) -> String {
        let partial = try ModelCatalogError.storing { () throws(DurableFileError) in try PartialFile.opened(file) }
        guard let partial else { throw .busy(path: file) }
        if ModelSource.isAddress(location) {
            let address = try DownloadAddress(location)
            // Only this call uses the closure.
            try withoutActuallyEscaping(progress) { (progress) throws(ModelCatalogError) in
                let download = Download(
                    address: address,
                    byteCount: expected == nil ? nil : installation.byteCount,
                    isVerified: expected != nil,
                    retry: retry,
                    progress: progress
                )
                do throws(ModelCatalogError) {
                    try download.run(into: partial)
                } catch {
                    if !error.keepsPartialFile { try discardPartial(file) }
                    throw error
                }
            }
        } else {
            try copy(location, into: partial, progress: progress)
        }
        let found = partial.sha256
        do throws(ModelCatalogError) {
            try ModelCatalogError.storing { () throws(DurableFileError) in try partial.synchronize() }
            try check(partial, source: location, expected: expected)
            return found
        } catch {
            try discardPartial(file)
            // The resumed part may belong to another version or be damaged.
            guard partial.isResumed, case .wrongHash = error else { throw error }
        }
        return try fetch(location, into: file, installation, expected: expected, progress: progress)
    }

    private func check(_ file: PartialFile, source: String, expected: String?) throws(ModelCatalogError) {
        let found = file.sha256
        if let expected, found != expected { throw .wrongHash(source: source, expected: expected, found: found) }
        _ = try model(file.path, source: source)
    }

    private func model(_ file: String, source: String) throws(ModelCatalogError) -> any InferenceModel {
        do {
            return try ModelFormat.model(at: URL(filePath: file))
        } catch {
            throw .notAModel(source: source, reason: error)
        }
    }

    /// Renames a whole file of the first format to the name of its own.
    private func giveNameOfFormat(_ file: String, source: String) throws(ModelCatalogError) {
        let ending = ModelFormat.fileExtension(of: try model(file, source: source))
        let named = URL(filePath: file).deletingPathExtension().appendingPathExtension(ending).path
        guard named != file, rename(file, named) != 0 else { return }
        throw ModelCatalogError(DurableFileError(path: file, code: errno))
    }

    private func copy(
        _ path: String,
        into file: PartialFile,
        progress: (Int, Int?) -> Void
    ) throws(ModelCatalogError) {
        let limit = Download.maximumByteCount
        let isWhole = try ModelCatalogError.storing { () throws(DurableFileError) in
            try file.clear()
            let source = try FileDescriptor(path, O_RDONLY)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FileDescriptor.pieceSize, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try FileDescriptor.read(source.number, into: buffer, path: path)
                if count == 0 || file.byteCount > limit { return count == 0 }
                try file.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                progress(file.byteCount, nil)
            }
        }
        guard isWhole else { throw .wrongSize(source: path, expected: limit, found: file.byteCount) }
    }

    private func discardPartial(_ file: String) throws(ModelCatalogError) {
        try discard(file)
        try Download.Origin.remove(beside: file)
    }

    // MARK: - Publishing

    /// Writes the files that accompany a model.
    private func write(
        _ installation: Installation,
        found: String,
        isVerified: Bool,
        from location: String,
        in staging: URL
    ) throws(ModelCatalogError) {
        let file = staging.appending(path: InstalledModel.modelFiles[0])
        try Download.Origin.remove(beside: file.path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let record = InstalledModel.Record(
            source: ModelSource.isAddress(location) ? location : URL(filePath: location).standardizedFileURL.path,
            byteCount: DurableFile.size(file) ?? 0,
            sha256: found,
            isVerified: isVerified
        )
        var files: [String: Data]
        do {
            files = [InstalledModel.recordFile: try encoder.encode(record)]
            if let sidecar = installation.entry?.sidecar {
                files[InstalledModel.sidecarFile] = try encoder.encode(sidecar)
            }
        } catch {
            throw .file(path: staging.path, reason: "\(error)")
        }
        if let names = installation.entry?.labels?.names {
            files[InstalledModel.labelFile] = Data((names.joined(separator: "\n") + "\n").utf8)
        }
        for (name, data) in files {
            try ModelCatalogError.storing { () throws(DurableFileError) in
                try DurableFile.write(data, to: staging.appending(path: name))
            }
        }
    }

    /// Moves a finished folder into place. An earlier model changes places with it at once; where the file system cannot do that, the
    /// earlier model is away for a moment, and comes back if that fails.
    private func publish(_ name: String) throws(ModelCatalogError) {
        let (staging, place) = (stagingFolder(of: name).path, place(of: name).path)
        let replaced = replacedFolder(of: name).path
        let isReplacing = try isReplaceable(name)
        try ModelCatalogError.storing { () throws(DurableFileError) in
            if isReplacing {
                // The next installation would take an earlier model named `staging` for the beginning of a download.
                try renameFolder(staging, to: replaced)
                if !FolderExchange.exchange(replaced, place) {
                    try renameFolder(place, to: staging)
                    do throws(DurableFileError) {
                        try renameFolder(replaced, to: place)
                    } catch {
                        try renameFolder(staging, to: place)
                        throw error
                    }
                }
            } else {
                try renameFolder(staging, to: place)
            }
            try DurableFile.synchronizeFolder(folder)
        }
        try discard(replaced)
        try discard(staging)
    }

    private func renameFolder(_ path: String, to other: String) throws(DurableFileError) {
        guard rename(path, other) == 0 else { throw DurableFileError(path: other, code: errno) }
    }
}

extension ModelCatalogError {
    /// Whether the received bytes may be the beginning of the right file.
    fileprivate var keepsPartialFile: Bool {
        switch self {
        case .webPage, .wrongSize: false
        default: true
        }
    }
}
