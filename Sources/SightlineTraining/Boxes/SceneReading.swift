import Foundation
import Sightline
import SightlineEvaluation

/// A picture whose drawn and proposed boxes are known, with the features of their content.
struct ReadScene: Sendable {
    /// A drawn box inside its picture.
    struct Drawn: Sendable {
        let frame: PixelRect
        let label: Int
        let features: Data
    }

    /// A box that the detector proposes.
    struct Proposal: Sendable {
        let frame: PixelRect
        let confidence: Float
        /// Empty where the features are no longer needed.
        var features: Data
    }

    let picture: BoxAnnotations.Picture
    let size: PixelSize
    /// The SHA-256 of the file.
    let digest: FeatureCache.Digest
    let thumbnail: PictureThumbnail
    /// The features of the whole picture.
    let whole: Data
    let drawn: [Drawn]
    let crowds: [PixelRect]
    private(set) var proposals: [Proposal]
    /// Whether all proposals and cells are known, so that the picture can be measured.
    private(set) var isWhole = true
    /// The number of drawn boxes that lie outside the picture or have no area.
    let lostCount: Int

    /// The cells of the detector's grids, where the picture is measured.
    private(set) var cells: GridCells?
    /// The cells that a layer of the grids learns from.
    let lesson: GridLesson

    /// Forgets the features of the proposals after the first ones, and the cells.
    mutating func trim(to count: Int) {
        for index in proposals.indices.dropFirst(count) {
            proposals[index].features = Data()
        }
        cells = nil
        isWhole = false
    }
}

/// Reads pictures: finds the boxes that the detector proposes, and computes the features of these and of the drawn boxes.
struct SceneReader: Sendable {
    let detector: ObjectDetector
    let extractor: FeatureExtractor
    let description: ModelSidecar.Proposals
    let cellExtractor: CellExtractor
    /// At most so many cells that show nothing are learned from.
    let nothingLimit: Int
    let cellCache: FeatureCache
    let proposalCache: FeatureCache
    let featureCache: FeatureCache

    /// Reads a picture, and its cached features.
    ///
    /// - Throws: `EvaluationError` or `ImageError` if the picture cannot be used, `CancellationError`, `InterpreterError`.
    func read(_ scene: BoxTrainingPictures.Scene, of files: PictureFiles) async throws -> ReadScene {
        let data = try files.data(at: scene.picture.path)
        let digest = FeatureCache.digest(of: data)
        let image = try files.image(scene.picture, data: data)
        let (found, thumbnail) = try await proposals(in: image, digest)
        let whole = PixelRect(image.size)
        let drawn = scene.boxes.compactMap { box in
            box.frame.intersection(whole).flatMap { $0.width >= 1 && $0.height >= 1 ? ($0, box.label) : nil }
        }
        let regions =
            [whole] + (drawn.map(\.0) + found.map(\.frame)).map { description.region(of: $0, in: image.size) }
        let features = try await features(of: regions, in: image, digest)
        let boxes = drawn.enumerated().map { ReadScene.Drawn(frame: $1.0, label: $1.1, features: features[1 + $0]) }
        let cells = try await cells(in: image, digest)
        return ReadScene(
            picture: scene.picture,
            size: image.size,
            digest: digest,
            thumbnail: thumbnail,
            whole: features[0],
            drawn: boxes,
            crowds: scene.crowds,
            proposals: found.enumerated().map {
                ReadScene.Proposal(
                    frame: $1.frame,
                    confidence: $1.confidence,
                    features: features[1 + drawn.count + $0]
                )
            },
            lostCount: scene.boxes.count - drawn.count,
            cells: cells,
            lesson: GridLesson(cells, boxes, crowds: scene.crowds, nothingLimit: nothingLimit)
        )
    }

    /// The cells of a picture, which are computed again if the stored ones are damaged.
    private func cells(in image: VisionImage, _ digest: FeatureCache.Digest) async throws -> GridCells {
        if let known = cellCache[digest].flatMap({ GridCells($0, of: cellExtractor.trunk, in: image.size) }) {
            return known
        }
        let stored = try await cellExtractor.storedCells(of: image)
        guard let cells = GridCells(stored, of: cellExtractor.trunk, in: image.size) else {
            throw OutputError.notFinite(model: "object_detector.tflite", tensor: "cells")
        }
        cellCache.keep(stored, of: digest)
        return cells
    }

    // MARK: - Proposals

    /// Bytes that are kept of a picture: the number of its proposals, five numbers for each, and its thumbnail.
    static func keptBytes(_ maximum: Int) -> Int { proposalBytes(maximum) + PictureThumbnail.byteCount }

    private static func proposalBytes(_ maximum: Int) -> Int { 4 + 20 * maximum }

    private func proposals(
        in image: VisionImage,
        _ digest: FeatureCache.Digest
    ) async throws -> (boxes: [(frame: PixelRect, confidence: Float)], thumbnail: PictureThumbnail) {
        let length = Self.proposalBytes(description.maximum)
        if let known = proposalCache[digest], let thumbnail = PictureThumbnail(bytes: known.dropFirst(length)) {
            return (Self.decoded(known.prefix(length)), thumbnail)
        }
        let thumbnail = try PictureThumbnail(of: image)
        let objects = try await detector.objects(in: image).prefix(description.maximum)
        var data = Data()
        func add(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
        add(UInt32(objects.count))
        for object in objects {
            let frame = object.frame
            for number in [frame.x, frame.y, frame.width, frame.height] { add(Float(number).bitPattern) }
            add(object.objectConfidence.bitPattern)
        }
        data.append(Data(count: length - data.count))
        proposalCache.keep(data + Data(thumbnail.bytes), of: digest)
        // As they are kept, so that a second run computes with the same numbers.
        return (Self.decoded(data), thumbnail)
    }

    private static func decoded(_ data: Data) -> [(frame: PixelRect, confidence: Float)] {
        data.withUnsafeBytes { bytes in
            func number(_ place: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self))
            }
            let count = min(Int(number(0)), (bytes.count / 4 - 1) / 5)
            return (0..<count).map { index in
                let values = (0..<5).map { Float(bitPattern: number(1 + 5 * index + $0)) }
                let frame = PixelRect(
                    x: Double(values[0]),
                    y: Double(values[1]),
                    width: Double(values[2]),
                    height: Double(values[3])
                )
                return (frame, values[4])
            }
        }
    }

    // MARK: - Features

    /// The features of parts of a picture. They are kept by the picture and all of its parts, since the smallest part decides how large
    /// the picture is decoded.
    private func features(
        of regions: [PixelRect],
        in image: VisionImage,
        _ digest: FeatureCache.Digest
    ) async throws -> [Data] {
        var key = Data(digest)
        for region in regions {
            for number in [region.x, region.y, region.width, region.height] {
                withUnsafeBytes(of: number.bitPattern.littleEndian) { key.append(contentsOf: $0) }
            }
        }
        let keys = regions.indices.map { index -> FeatureCache.Digest in
            FeatureCache.digest(
                of: key + Data([UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)])
            )
        }
        let known = keys.map { featureCache[$0] }
        if !known.contains(nil) { return known.compactMap(\.self) }
        let computed = try await extractor.storedFeatures(of: image, in: regions)
        for (key, features) in zip(keys, computed) { featureCache.keep(features, of: key) }
        return computed
    }
}
