import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

/// Finds pictures that show the same thing, and copies of pictures.
///
/// ```swift
/// var options = PictureIndexerOptions()
/// options.network = LocalModel(url: URL(filePath: "mobilenet_v2_1.0_224_quant.tflite"))
/// let indexer = try PictureIndexer(options: options)
/// let index = try await indexer.index(of: URL(filePath: "photos"))
/// let photo = try await indexer.description(of: VisionImage(contentsOf: URL(filePath: "photo.jpg")))
/// for found in index.neighbors(of: photo, atMost: 5) {
///     print(found.path, found.likeness, found.probability ?? 0, found.isCopy)
/// }
/// for group in try await index.duplicates() { print(group.pictures.map(\.path)) }
/// ```
///
/// The index is in the folder, in the file `.sightline-similar`, so a second run reads new and changed pictures only.
public struct PictureIndexer: Sendable {
    /// The options passed to the initializer.
    public let options: PictureIndexerOptions
    private let extractor: FeatureExtractor?
    private let network: [UInt8]

    /// Reads and compiles the network.
    ///
    /// - Throws: `LocalModelError` if the network is not a classifier of pictures, a `LocalizedError` that says why if its features cannot
    ///   be read, `RuntimeError` if the LiteRT library is missing or too old.
    public init(options: PictureIndexerOptions = PictureIndexerOptions()) throws {
        self.options = options
        extractor = try options.network.map { try FeatureExtractor($0, workers: max(options.workers, 1)) }
        network =
            extractor.map { extractor in
                let model = SHA256.hexadecimalDigest(of: extractor.features.data)
                return FeatureCache.digest(of: Data("1 \(model) \(extractor.identity)".utf8))
            } ?? PictureTable.noNetwork
    }

    /// Describes a picture, to look for similar ones.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `InterpreterError` if the runtime fails, `CancellationError`.
    public func description(of image: VisionImage) async throws -> PictureDescription {
        var vector: [Int8] = []
        if let extractor {
            let stored = try await extractor.storedFeatures(of: image).first ?? Data()
            vector = ByteVectors.rounded(extractor.trunk.values(of: stored) ?? [])
        }
        return PictureDescription(vector: vector, thumbnail: try PictureThumbnail(of: image))
    }

    /// Reads the pictures of a folder and of the folders in it, except those that an earlier run has read.
    ///
    /// Links to folders are not followed. The index file is written from time to time, so an interrupted run continues
    /// later.
    ///
    /// - Parameter progress: Called after each picture, one call at a time.
    /// - Throws: ``PictureIndexError``, `CancellationError`, or `InterpreterError` if the runtime fails.
    /// - Complexity: The network runs once for each new picture, some milliseconds each. Memory holds one byte for each feature of each
    ///   picture, and about 1,200 bytes more.
    public func index(
        of folder: URL,
        progress: (PictureIndexProgress) -> Void = { _ in }
    ) async throws -> PictureIndex {
        let store = PictureIndexStore(of: folder, cache: options.cache)
        let wanted = extractor != nil
        let (loaded, listed) = try await Task(executorPreference: FileExecutor.shared) {
            let loaded = store.load()
            let known = Set(loaded.table?.pictures.map(FolderPictures.File.init) ?? [])
            return (loaded, try FolderPictures(of: folder, isKnown: { known.contains($0) }))
        }.value
        let path = folder.path(percentEncoded: false)
        guard !listed.files.isEmpty else { throw PictureIndexError.noPictures(path: path) }
        // Without a network, the vectors of an earlier run are kept.
        let earlier = EarlierPictures(loaded.table, network: wanted ? network : nil)
        var (present, new): ([EarlierPictures.Known], [FolderPictures.File]) = ([], [])
        for file in listed.files {
            if let known = earlier.picture(file, needsVector: wanted) {
                present.append(known)
            } else {
                new.append(file)
            }
        }
        var skipped = listed.skipped
        var place = loaded.place
        let width = extractor?.trunk.featureCount ?? earlier.width
        let tableNetwork = wanted ? network : earlier.network
        func table() -> PictureTable {
            var table = PictureTable(network: tableNetwork, width: width)
            for known in present.sorted(by: { $0.picture.path < $1.picture.path }) {
                table.append(known.picture, known.vector)
            }
            return table
        }
        // Pictures that are gone, or that a network has not seen yet.
        var isChanged = (loaded.table?.pictures.count ?? 0) > present.count
        let total = new.count
        var (done, failed) = (0, 0)
        while !new.isEmpty {
            let part = Array(new.prefix(max(Self.leastPart, present.count / 2)))
            new.removeFirst(part.count)
            try await OrderedEvaluation.run(part, workers: options.workers) { file in
                try await read(file, in: folder, earlier: earlier)
            } deliver: { file, result in
                done += 1
                switch result {
                case .success(let known):
                    present.append(known)
                    isChanged = true
                case .failure(let reason):
                    failed += 1
                    skipped.add(file.path, reason.description)
                }
                progress(.reading(done: done, skipped: failed, total: total))
            }
            guard isChanged, !new.isEmpty else { continue }
            let written = table()
            place = await Task(executorPreference: FileExecutor.shared) { store.save(written) }.value
            isChanged = false
        }
        let table = table()
        if isChanged, !table.pictures.isEmpty {
            place = await Task(executorPreference: FileExecutor.shared) { store.save(table) }.value
        }
        guard !table.pictures.isEmpty else {
            let first = skipped.pictures.first.map { "\($0.path): \($0.reason)" } ?? "it cannot be read."
            throw PictureIndexError.noUsablePicture(path: path, reason: first)
        }
        return PictureIndex(
            table,
            folder: folder,
            skipped: skipped,
            readCount: total - failed,
            place: place,
            damaged: loaded.damaged,
            calibration: extractor.flatMap { LikenessCalibration(of: $0.trunk.model, options.network) },
            workers: options.workers
        )
    }

    /// So many pictures are read before the index file is written.
    private static let leastPart = 512

    private func read(
        _ file: FolderPictures.File,
        in folder: URL,
        earlier: EarlierPictures
    ) async throws -> EarlierPictures.Known {
        let data = try PictureFiles(folder: folder).data(at: file.path)
        let digest = FeatureCache.digest(of: data)
        if let known = earlier.picture(file, digest, needsVector: extractor != nil) { return known }
        let image = try VisionImage(data: data)
        let description = try await description(of: image)
        let picture = PictureTable.Picture(
            path: file.path,
            byteCount: file.byteCount,
            modified: file.modified,
            digest: digest,
            width: image.size.width,
            height: image.size.height,
            thumbnail: description.thumbnail,
            hasVector: extractor != nil
        )
        return EarlierPictures.Known(picture: picture, vector: description.vector[...])
    }
}

/// The pictures of an index file that may still be there, by their files and by their bytes.
private struct EarlierPictures: Sendable {
    struct Known: Sendable {
        var picture: PictureTable.Picture
        let vector: ArraySlice<Int8>
    }

    private let table: PictureTable
    private let isOfNetwork: Bool
    private var files: [FolderPictures.File: Int] = [:]
    private var digests: [FeatureCache.Digest: Int] = [:]

    var width: Int { table.vectors.width }
    var network: [UInt8] { table.network }

    /// - Parameter network: The network of vectors that can be used; nil for any.
    init(_ table: PictureTable?, network: [UInt8]?) {
        self.table = table ?? PictureTable(network: PictureTable.noNetwork, width: 0)
        isOfNetwork = network == nil || network == table?.network
        for (row, picture) in self.table.pictures.enumerated() {
            files[FolderPictures.File(picture)] = row
            if picture.hasVector || digests[picture.digest] == nil { digests[picture.digest] = row }
        }
    }

    private func known(_ row: Int, needsVector: Bool) -> Known? {
        let picture = table.pictures[row]
        guard !needsVector || isOfNetwork && picture.hasVector else { return nil }
        return Known(picture: picture, vector: table.vectors.row(row))
    }

    /// A picture whose file has not changed.
    func picture(_ file: FolderPictures.File, needsVector: Bool) -> Known? {
        files[file].flatMap { known($0, needsVector: needsVector) }
    }

    /// A picture that has another name or time now.
    func picture(_ file: FolderPictures.File, _ digest: FeatureCache.Digest, needsVector: Bool) -> Known? {
        guard var known = digests[digest].flatMap({ known($0, needsVector: needsVector) }) else { return nil }
        (known.picture.path, known.picture.byteCount, known.picture.modified) = (
            file.path, file.byteCount, file.modified
        )
        return known
    }
}

extension FolderPictures.File {
    fileprivate init(_ picture: PictureTable.Picture) {
        self.init(path: picture.path, byteCount: picture.byteCount, modified: picture.modified)
    }
}

/// The network and the places of a comparison of pictures.
public struct PictureIndexerOptions: Sendable, Hashable {
    /// The classifier whose features are compared; nil to look for copies alone, which needs no network.
    public var network: LocalModel?
    /// The number of pictures that are read at the same time. The default is the number of cores.
    public var workers = ProcessInfo.processInfo.activeProcessorCount
    /// The folder for indexes of folders that cannot be written; nil to keep those in memory alone. The default is `sightline/similar` in
    /// the user's cache folder.
    public var cache: URL? = UserCacheFolder.ofUser().appending(path: "sightline/similar")

    /// Creates options with a network.
    public init(network: LocalModel? = .builtInFeatures) { self.network = network }
}

/// The progress of an index.
public enum PictureIndexProgress: Sendable, Hashable {
    /// New pictures are read.
    case reading(done: Int, skipped: Int, total: Int)
    /// All pictures are compared with each other; the number is a share of 1.
    case comparing(Double)
}

/// A picture as far as its comparison needs it.
public struct PictureDescription: Sendable, Hashable {
    let vector: [Int8]
    let thumbnail: PictureThumbnail
}
