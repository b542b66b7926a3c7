import Foundation
import TensorFlowLite

/// Where a model is fetched from.
public enum ModelSource: Sendable, Hashable {
    /// The file itself: an https address, an http address of this machine, or a path.
    case file(String)
    /// A folder, or the address of one, that holds `NAME/model.tflite` for each model, as a store does.
    case mirror(String)

    /// The address or path of a model's file.
    func location(of name: String) -> String {
        switch self {
        case .file(let location): location
        case .mirror(let folder):
            (folder.hasSuffix("/") ? folder : folder + "/") + "\(name)/\(InstalledModel.modelFile)"
        }
    }
}

/// A model to be installed.
public struct Installation: Sendable {
    /// What it will be called.
    public var name: String
    /// Where it is fetched from.
    public var source: ModelSource
    /// The SHA-256 that it must have, as hexadecimal digits; nil if nobody has verified it.
    public var sha256: String?
    /// How long it must be; nil if nobody has verified it.
    public var byteCount: Int?
    /// Whether a model that nobody has verified may be installed.
    public var acceptsUnverified = false
    /// What the catalog says of the model.
    public var entry: CatalogEntry?

    /// A model of the catalog from its own address.
    public init(_ entry: CatalogEntry) {
        name = entry.name
        source = .file(entry.address)
        sha256 = entry.sha256
        byteCount = entry.byteCount
        self.entry = entry
    }

    /// Any model.
    public init(name: String, source: ModelSource, sha256: String? = nil) {
        self.name = name
        self.source = source
        self.sha256 = sha256
    }
}

extension ModelStore {
    /// Fetches a model, verifies it, and puts it into the store as a whole; until then the store is as it was.
    ///
    /// A download that breaks off goes on the next time. A model that is there already with the right content is not
    /// fetched again; another of that name is replaced.
    ///
    /// - Parameter progress: called with how many bytes have come, and of how many if that is known.
    /// - Throws: `ModelCatalogError`.
    @discardableResult
    public func install(
        _ installation: Installation,
        progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
    ) throws(ModelCatalogError) -> InstalledModel {
        let name = installation.name
        try ModelName.check(name)
        let expected = try installation.sha256.map { (text) throws(ModelCatalogError) in try Self.hash(text) }
        guard expected != nil || installation.acceptsUnverified else { throw .unverified(name: name) }
        return try withLock { () throws(ModelCatalogError) in
            _ = try isReplaceable(name)
            if let expected, let there = self[name], there.record?.sha256 == expected,
                try OpenFile.sha256(of: there.model.path) == expected
            {
                return there
            }
            let workplace = workplace(of: name)
            try makeFolder(workplace)
            let file = workplace.appending(path: InstalledModel.modelFile).path
            let location = installation.source.location(of: name)
            do throws(ModelCatalogError) {
                let found = try fetch(location, into: file, installation, expected: expected, progress: progress)
                try write(installation, found: found, isVerified: expected != nil, from: location, in: workplace)
                try publish(name)
            } catch {
                // Only the beginning of a file is worth keeping.
                if Download.Origin.read(beside: file) == nil { try discard(workplace.path) }
                throw error
            }
            return try model(named: name)
        }
    }

    /// The digits of a SHA-256 in lower case.
    private static func hash(_ text: String) throws(ModelCatalogError) -> String {
        let digits = text.lowercased()
        guard digits.utf8.count == 64, digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
            throw .invalidHash(text)
        }
        return digits
    }

    // MARK: - Fetching

    /// Fetches the file and checks what came; gives its SHA-256.
    private func fetch(
        _ location: String,
        into file: String,
        _ installation: Installation,
        expected: String?,
        progress: (Int, Int?) -> Void
    ) throws(ModelCatalogError) -> String {
        var isResumed = false
        if location.contains("://") {
            let address = try DownloadAddress(location)
            // The closure is used by this call alone.
            isResumed = try withoutActuallyEscaping(progress) { (progress) throws(ModelCatalogError) in
                let download = Download(
                    address: address,
                    byteCount: expected == nil ? nil : installation.byteCount,
                    isVerified: expected != nil,
                    progress: progress
                )
                do throws(ModelCatalogError) {
                    return try download.run(into: file)
                } catch {
                    if !error.keepsPartialFile { try discardPartial(file) }
                    throw error
                }
            }
        } else {
            try copy(location, into: file, progress: progress)
        }
        do throws(ModelCatalogError) {
            return try check(file, source: location, installation, expected: expected)
        } catch {
            try discardPartial(file)
            // The beginning may have been of another version, or damaged.
            guard isResumed, case .wrongHash = error else { throw error }
        }
        return try fetch(location, into: file, installation, expected: expected, progress: progress)
    }

    private func check(
        _ file: String,
        source: String,
        _ installation: Installation,
        expected: String?
    ) throws(ModelCatalogError) -> String {
        let found = try OpenFile.sha256(of: file)
        if let expected, found != expected { throw .wrongHash(source: source, expected: expected, found: found) }
        do {
            _ = try Model(contentsOf: URL(filePath: file))
        } catch {
            throw .notAModel(source: source, reason: error)
        }
        return found
    }

    private func copy(
        _ path: String,
        into file: String,
        progress: (Int, Int?) -> Void
    ) throws(ModelCatalogError) {
        let output = try OpenFile(file)
        try output.clear()
        var received = 0
        try OpenFile.read(path) { (piece) throws(ModelCatalogError) in
            try output.append(piece)
            received += piece.count
            guard received <= Download.maximumByteCount else {
                throw .wrongSize(source: path, expected: Download.maximumByteCount, found: received)
            }
            progress(received, nil)
        }
        try output.synchronize()
    }

    private func discardPartial(_ file: String) throws(ModelCatalogError) {
        try discard(file)
        Download.Origin.remove(beside: file)
    }

    // MARK: - Putting into place

    /// Writes what belongs to a model beside it.
    private func write(
        _ installation: Installation,
        found: String,
        isVerified: Bool,
        from location: String,
        in workplace: URL
    ) throws(ModelCatalogError) {
        let file = workplace.appending(path: InstalledModel.modelFile).path
        Download.Origin.remove(beside: file)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let record = InstalledModel.Record(
            source: location.contains("://") ? location : URL(filePath: location).standardizedFileURL.path,
            byteCount: try OpenFile(file).byteCount(),
            sha256: found,
            isVerified: isVerified
        )
        do {
            var files = [InstalledModel.recordFile: try encoder.encode(record)]
            if let sidecar = installation.entry?.sidecar {
                files[InstalledModel.sidecarFile] = try encoder.encode(sidecar)
            }
            if let names = installation.entry?.labels?.names {
                files[InstalledModel.labelFile] = Data((names.joined(separator: "\n") + "\n").utf8)
            }
            for (name, data) in files {
                let output = try OpenFile(workplace.appending(path: name).path)
                try output.clear()
                try output.append(data)
                try output.synchronize()
            }
        } catch let error as ModelCatalogError {
            throw error
        } catch {
            throw .file(path: workplace.path, reason: "\(error)")
        }
        try OpenFile.synchronizeFolder(workplace.path)
    }

    /// Gives a finished folder its place; an older model goes when the new one can come.
    private func publish(_ name: String) throws(ModelCatalogError) {
        let (workplace, place) = (workplace(of: name).path, place(of: name).path)
        let replaced = workplace + ".removed"
        try discard(replaced)
        let isReplacing = try isReplaceable(name)
        if isReplacing, rename(place, replaced) != 0 { throw .system(errno, path: place) }
        guard rename(workplace, place) == 0 else {
            let code = errno
            if isReplacing { rename(replaced, place) }
            throw .system(code, path: place)
        }
        try OpenFile.synchronizeFolder(folder.path)
        try discard(replaced)
    }
}

extension ModelCatalogError {
    /// Whether what has come so far can be the beginning of the right file.
    fileprivate var keepsPartialFile: Bool {
        switch self {
        case .webPage, .wrongSize: false
        default: true
        }
    }
}
