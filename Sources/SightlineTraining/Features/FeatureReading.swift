import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

/// A picture whose features are known.
struct ReadPicture: Sendable {
    let picture: TrainingPictures.Picture
    /// The SHA-256 of the file.
    let digest: FeatureCache.Digest
    /// The features, as the network stores them.
    let features: Data
    let thumbnail: PictureThumbnail
}

extension FeatureExtractor {
    /// Reads pictures and computes their features, with those that are kept.
    ///
    /// - Returns: The pictures in their order, without those that cannot be read.
    /// - Throws: `CancellationError`, or an error that is not the fault of a picture.
    func read(
        _ pictures: TrainingPictures,
        cache: FeatureCache,
        workers: Int,
        skipped: inout SkippedPictures,
        progress: (TrainingProgress) -> Void
    ) async throws -> [ReadPicture] {
        var found: [ReadPicture] = []
        var (done, failed) = (0, 0)
        let total = pictures.count
        let limits = LabeledPictures.Limits.standard.image
        defer { cache.flush() }
        try await OrderedEvaluation.run(pictures.pictures, workers: workers) { picture -> ReadPicture in
            let data = try pictures.files.data(at: picture.path)
            let digest = FeatureCache.digest(of: data)
            let described = try await self.described(digest, in: cache) { try VisionImage(data: data, limits: limits) }
            return ReadPicture(
                picture: picture,
                digest: digest,
                features: described.features,
                thumbnail: described.thumbnail
            )
        } deliver: { picture, result in
            done += 1
            switch result {
            case .success(let read): found.append(read)
            case .failure(let reason):
                failed += 1
                skipped.add(picture.path, reason.description)
            }
            progress(.reading(done: done, skipped: failed, total: total))
        }
        return found
    }

    /// A text that changes when a picture has other features, for the cache of these.
    var cacheKey: String { SHA256.hexadecimalDigest(of: features.data) + identity }

    /// The model that was cut, as the card of a trained model names it.
    ///
    /// - Parameters:
    ///   - name: The name of the model; nil for that of its file.
    ///   - license: Its license; nil for that in its metadata.
    func start(named name: String?, license: String?) -> TrainingCard.Start {
        TrainingCard.Start(
            name: name ?? self.name,
            sha256: SHA256.hexadecimalDigest(of: trunk.model.data),
            features: trunk.featureCount,
            license: license ?? trunk.model.metadata?.license
        )
    }

    /// The bytes that are kept of a picture: its features, and its thumbnail.
    var describedByteCount: Int { trunk.byteCount + PictureThumbnail.byteCount }

    /// The features and the thumbnail of a whole picture, which is decoded only if they are not kept.
    func described(
        _ digest: FeatureCache.Digest,
        in cache: FeatureCache,
        _ image: () throws -> VisionImage
    ) async throws -> (features: Data, thumbnail: PictureThumbnail) {
        if let known = cache[digest],
            let thumbnail = PictureThumbnail(bytes: known.suffix(PictureThumbnail.byteCount))
        {
            return (Data(known.prefix(trunk.byteCount)), thumbnail)
        }
        let image = try image()
        let features = try await storedFeatures(of: image).first ?? Data()
        let thumbnail = try PictureThumbnail(of: image)
        cache.keep(features + Data(thumbnail.bytes), of: digest)
        return (features, thumbnail)
    }
}
