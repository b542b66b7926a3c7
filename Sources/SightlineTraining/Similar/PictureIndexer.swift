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
    ///   picture, and about 1,600 bytes more: 290 MB for 100,000 pictures with 1,280 features each.
    public func index(
        of folder: URL,
        progress: (PictureIndexProgress) -> Void = { _ in }
    ) async throws -> PictureIndex {
        let store = PictureIndexStore(of: folder, cache: options.cache)
        let needsVectors = extractor != nil
        var loaded: PictureIndexStore.Loaded
        let listed: FolderPictures
        (loaded, listed) = try await Task(executorPreference: FileExecutor.shared) {
            let loaded = store.load()
            let known = Set(loaded.table?.pictures.map(FolderPictures.File.init) ?? [])
            return (loaded, try FolderPictures(of: folder, isKnown: { known.contains($0) }))
        }.value
        let path = folder.path(percentEncoded: false)
        guard !listed.files.isEmpty else { throw PictureIndexError.noPictures(path: path) }
        let earlierCount = loaded.table?.pictures.count ?? 0
        var table = startingTable(loaded.table)
        // The table alone has its rows now, so that adding some does not copy all.
        loaded.table = nil
        let earlier = EarlierPictures(table.pictures, needVectors: needsVectors)
        // The rows of the pictures that are in the folder.
        var (rows, new): ([Int], [FolderPictures.File]) = ([], [])
        for file in listed.files {
            if let row = earlier.row(of: file) { rows.append(row) } else { new.append(file) }
        }
        table.reserveCapacity(table.pictures.count + new.count)
        var skipped = listed.skipped
        var place = loaded.place
        func sortedRows() -> [Int] { rows.sorted { table.pictures[$0].path < table.pictures[$1].path } }
        // Pictures that are gone, or that a network has not seen yet.
        var isChanged = earlierCount > rows.count
        let total = new.count
        var (done, failed) = (0, 0)
        while !new.isEmpty {
            let part = Array(new.prefix(max(Self.leastPart, rows.count / 2)))
            new.removeFirst(part.count)
            try await OrderedEvaluation.run(part, workers: options.workers) { file in
                try await read(file, in: folder, earlier: earlier)
            } deliver: { file, result in
                done += 1
                switch result {
                case .success(let found):
                    rows.append(table.pictures.count)
                    switch found {
                    case .known(let row): table.append(file, like: row)
                    case .new(let picture, let vector): table.append(picture, vector)
                    }
                    isChanged = true
                case .failure(let reason):
                    failed += 1
                    skipped.add(file.path, reason.description)
                }
                progress(.reading(done: done, skipped: failed, total: total))
            }
            guard isChanged, !new.isEmpty else { continue }
            let written = sortedRows()
            place = await withTaskExecutorPreference(FileExecutor.shared) { store.save(table, written) }
            isChanged = false
        }
        table.keep(sortedRows())
        if isChanged, !table.pictures.isEmpty {
            place = await withTaskExecutorPreference(FileExecutor.shared) {
                store.save(table, Array(table.pictures.indices))
            }
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

    /// The table of an earlier run, if its vectors can be used; otherwise an empty one. Without a network, vectors of any network are kept.
    private func startingTable(_ earlier: PictureTable?) -> PictureTable {
        guard let extractor else { return earlier ?? PictureTable(network: PictureTable.noNetwork, width: 0) }
        let width = extractor.trunk.featureCount
        guard let earlier, earlier.network == network, earlier.vectors.width == width else {
            return PictureTable(network: network, width: width)
        }
        return earlier
    }

    /// A picture whose file is not known.
    private enum Found: Sendable {
        /// It has the bytes of a known one.
        case known(row: Int)
        case new(PictureTable.Picture, [Int8])
    }

    private func read(
        _ file: FolderPictures.File,
        in folder: URL,
        earlier: EarlierPictures
    ) async throws -> Found {
        let data = try PictureFiles(folder: folder).data(at: file.path)
        let digest = FeatureCache.digest(of: data)
        if let row = earlier.row(of: digest) { return .known(row: row) }
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
        return .new(picture, description.vector)
    }
}

/// The rows of the pictures of an index file that may still be there, by their files and by their bytes.
private struct EarlierPictures: Sendable {
    private var files: [FolderPictures.File: Int] = [:]
    private var digests: [FeatureCache.Digest: Int] = [:]

    /// - Parameter needVectors: Whether pictures without a vector have to be read again.
    init(_ pictures: [PictureTable.Picture], needVectors: Bool) {
        for (row, picture) in pictures.enumerated() where picture.hasVector || !needVectors {
            files[FolderPictures.File(picture)] = row
            if picture.hasVector || digests[picture.digest] == nil { digests[picture.digest] = row }
        }
    }

    /// The row of a picture whose file has not changed.
    func row(of file: FolderPictures.File) -> Int? { files[file] }

    /// The row of a picture with these bytes, which has another name or time now.
    func row(of digest: FeatureCache.Digest) -> Int? { digests[digest] }
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
