import Foundation

/// The built-in detector as one half of a pair: its boxes, also those that it is not sure of, are named by another model.
final class Proposer: Sendable {
    let model: DetectionModel
    let description: ModelSidecar.Proposals

    /// Reads the built-in detector.
    convenience init(_ description: ModelSidecar.Proposals) throws(LocalModelError) {
        do {
            try self.init(DetectionModel(.builtInDetector), description)
        } catch let error as LocalModelError {
            throw error
        } catch {
            throw .output(model: LocalModel.builtInDetector.url.lastPathComponent, reason: "\(error)")
        }
    }

    private init(_ model: DetectionModel, _ description: ModelSidecar.Proposals) {
        (self.model, self.description) = (model, description)
    }

    /// The same detector, in a faster form if there is one.
    func optimized() -> Proposer {
        var model = model
        model.optimize(scoreThreshold: description.threshold)
        return Proposer(model, description)
    }

}

/// The first half of a pair: finds the boxes that are named.
final class ProposalStage: Sendable {
    let stage: DetectionStage
    let description: ModelSidecar.Proposals

    init(_ proposer: Proposer, _ options: ObjectDetectorOptions) {
        description = proposer.description
        var own = description.detectorOptions
        (own.regionOfInterest, own.slices, own.fit) = (options.regionOfInterest, options.slices, options.fit)
        stage = DetectionStage(model: proposer.model, options: own)
    }
}

extension DetectionStage {
    /// Finds boxes with the built-in detector, and names them.
    ///
    /// The confidence of a box for a label is the product of the label's probability and a power of the detector's confidence.
    func named(
        _ proposals: ProposalStage,
        in image: VisionImage,
        thresholds: ClassThresholds,
        maximumCount: Int,
        with runner: inout DetectionRunner,
        clock: inout StageClock
    ) throws -> Found {
        guard !runner.proposers.isEmpty else { return ([], try image.decoded(for: [])) }
        let description = proposals.description
        let found = try proposals.stage.detections(
            in: image,
            thresholds: proposals.stage.scoreThresholds,
            maximumCount: description.maximum,
            with: &runner.proposers[0],
            clock: &clock
        )
        // Boxes that no label could make confident enough need not be named.
        let boxes = found.detections.map { (frame: $0.frame, power: description.power(of: $0.objectConfidence)) }
            .filter { $0.power >= thresholds.least }
        let whole = Placement(PixelRect(image.size), into: model.input.format.size, fit: .stretch)
        let placements = boxes.map {
            Placement(description.region(of: $0.frame, in: image.size), into: model.input.format.size, fit: model.fit)
        }
        let small = placements.filter { !found.picture.suffices(for: $0) }
        let closer = try clock.measure(\.decoding) { small.isEmpty ? found.picture : try image.decoded(for: small) }
        var candidates: [Candidate] = []
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        for (box, placement) in zip(boxes, placements) {
            let labels = try runner.full.candidates(
                model.head,
                placement,
                of: found.picture.suffices(for: placement) ? found.picture : closer,
                minimumScore: 0,
                clock: &clock
            )
            for label in labels where label.classIndex != model.names.backgroundIndex && isWanted(label) {
                var candidate = label
                candidate.score *= box.power
                guard candidate.score >= thresholds[candidate.classIndex] else { continue }
                candidate.left = Float(box.frame.x / width)
                candidate.top = Float(box.frame.y / height)
                candidate.right = Float(box.frame.maxX / width)
                candidate.bottom = Float(box.frame.maxY / height)
                candidates.append(candidate)
            }
        }
        return try clock.measure(\.postprocessing) {
            let objects = objects(from: candidates, whole, in: PixelRect(image.size))
            return (Array(objects.prefix(maximumCount)), found.picture)
        }
    }
}

extension ModelSidecar.Proposals {
    /// The options with which the built-in detector proposes boxes.
    package var detectorOptions: ObjectDetectorOptions {
        var options = ObjectDetectorOptions(model: .builtInDetector)
        options.scoreThreshold = threshold
        options.maximumObjects = maximum
        options.classifiesObjects = false
        return options
    }

    /// The factor of a label's probability for a box.
    package func power(of confidence: Float) -> Float {
        exponent == 0 ? 1 : pow(confidence, exponent)
    }
}
