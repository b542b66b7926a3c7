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
            let data = try pictures.sources[picture.source].data(at: picture.path)
            let digest = FeatureCache.digest(of: data)
            if let known = cache[digest] { return ReadPicture(picture: picture, digest: digest, features: known) }
            let features = try await self.storedFeatures(of: VisionImage(data: data, limits: limits))
            guard let features = features.first else {
                throw EvaluationError.unreadable(path: picture.path, reason: "it has no pixels")
            }
            cache.keep(features, of: digest)
            return ReadPicture(picture: picture, digest: digest, features: features)
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
}
