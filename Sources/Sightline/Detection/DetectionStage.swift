/// The first stage: finds boxes in a picture.
struct DetectionStage: Sendable {
    var model: DetectionModel
    /// The confidences from which a box of each class is an object.
    let scoreThresholds: ClassThresholds
    private let options: ObjectDetectorOptions
    /// The stage whose boxes the model names; nil for a model that finds boxes itself.
    private let proposals: ProposalStage?
    private let iouThreshold: Float?
    /// The share of its confidence that a doubtful box keeps; nil where boxes inside boxes are not doubted.
    private let keptShare: Float?
    /// The wanted classes; nil where names decide.
    private let wantedClasses: LabelFilter?
    /// Chooses the wanted objects by the names that the model gives them; nil where all are wanted or something else decides.
    let wantedNames: WantedNames?
    /// Decides which of the model's own classes are reported as labels.
    let naming: NameRule
    /// Whether the model's own classes are the labels; class-agnostic models have no labels.
    let givesLabels: Bool

    init(model: DetectionModel, options: ObjectDetectorOptions) {
        self.model = model
        self.options = options
        proposals = model.proposer.map { ProposalStage($0, options) }
        scoreThresholds = ClassThresholds(
            Thresholds.score(options.scoreThreshold, of: model.files, head: model.head),
            model.isChosenByNames ? [:] : options.scoreThresholds,
            of: model.names
        )
        iouThreshold =
            Thresholds.iou(options.iouThreshold, of: model.files, head: model.head)
            ?? (options.suppressesAcrossClasses ? NonMaximumSuppression.usualThreshold : nil)
        keptShare =
            options.iouThreshold != 1 && model.proposer == nil && (model.namesSomeObjects || model.isBuiltInLocalizer)
            ? NestedBoxes.keptShareOfAnything : nil
        naming = NameRule(model, options)
        givesLabels = options.classifiesObjects && options.classifier == nil && !model.isClassAgnostic
        let isLeftToClassifier = model.isChosenByNames && options.classifiesObjects && options.classifier != nil
        let choice = GroupedChoice(options, groups: model.groups, names: model.names)
        wantedNames = model.namesSomeObjects && !isLeftToClassifier ? WantedNames(choice) : nil
        wantedClasses =
            isLeftToClassifier || model.namesSomeObjects
            ? nil
            : LabelFilter(
                thresholds: ClassThresholds(0),
                allowed: choice.allowed,
                denied: choice.denied,
                maximumCount: 1
            )
    }

    /// The boxes in a picture, the most confident first, and the picture as it was decoded for the model.
    typealias Found = (detections: [DetectedObject], picture: DecodedImage)

    /// Finds the boxes in a picture: in the whole picture, in its overview if the model has one, and in its slices and its mirror image if
    /// the options ask for them.
    ///
    /// The views follow each other, so that results do not depend on the number of workers.
    ///
    /// - Parameters:
    ///   - thresholds: boxes below the confidence of their class are dropped.
    ///   - maximumCount: at most this many boxes.
    /// - Throws: `SliceError` before the picture is decoded, and the errors of the stages.
    func detections(
        in image: VisionImage,
        thresholds: ClassThresholds,
        maximumCount: Int,
        with runner: inout DetectionRunner,
        clock: inout StageClock
    ) throws -> Found {
        if let proposals {
            return try named(
                proposals,
                in: image,
                thresholds: thresholds,
                maximumCount: maximumCount,
                with: &runner,
                clock: &clock
            )
        }
        let region = try image.region(options.regionOfInterest)
        let slices = try options.slices?.slices(of: region) ?? []
        let fit = options.fit ?? model.fit
        let views = ([region] + slices).map { view in
            (view: view, placement: Placement(view, into: model.input.format.size, fit: fit))
        }
        let (picture, closer) = try clock.measure(\.decoding) { try decoded(image, for: views.map(\.placement)) }
        var found: [SliceMerging.Box] = []
        let looks = options.searchesMirrorImage ? [false, true] : [false]
        for (number, (view, placement)) in views.enumerated() {
            let seen = picture.suffices(for: placement) ? picture : closer
            for isMirrored in looks {
                let place = isMirrored ? placement.mirrored(in: image.size) : placement
                let pixels = isMirrored ? seen.mirrored : seen
                var candidates = try runner.full.candidates(
                    model.head,
                    place,
                    of: pixels,
                    minimumScore: thresholds.least,
                    clock: &clock
                )
                if number == 0, let overview = model.overview {
                    let whole = isMirrored ? view.mirrored(in: image.size) : view
                    let others = try runner.overview?.candidates(
                        overview.head,
                        Placement(whole, into: overview.input.format.size, fit: fit),
                        of: pixels,
                        minimumScore: thresholds.least,
                        clock: &clock
                    )
                    candidates += (others ?? []).map {
                        var candidate = $0
                        candidate.isFromOverview = true
                        return candidate
                    }
                }
                try clock.measure(\.postprocessing) {
                    let kept = suppressed(candidates.filter { isWanted($0, thresholds) })
                    let masks = try runner.full.masks(model.head, of: Array(kept.prefix(Self.maskCount)))
                    var budget = Self.maskedPictures * Double(image.size.width * image.size.height)
                    let seen = isMirrored ? view.mirrored(in: image.size) : view
                    let objects = kept.enumerated().compactMap { rank, candidate in
                        object(of: candidate, rank < masks.count ? masks[rank] : nil, place, in: seen, budget: &budget)
                    }
                    found += (slices.isEmpty ? objects[...] : objects.prefix(SliceMerging.maximumCountOfView)).map {
                        let object = isMirrored ? $0.mirrored(in: image.size) : $0
                        return SliceMerging.Box(
                            object: object,
                            isCut: SliceMerging.isCut(object.frame, in: view, of: region),
                            view: view
                        )
                    }
                }
            }
        }
        return try clock.measure(\.postprocessing) {
            let merged =
                slices.isEmpty && looks.count == 1
                ? found.map(\.object)
                : SliceMerging.merge(
                    found,
                    iouThreshold: Double(iouThreshold ?? NonMaximumSuppression.usualThreshold),
                    acrossClasses: options.suppressesAcrossClasses
                )
            let objects = doubted(merged, thresholds, in: image.size)
            return (Array(objects.prefix(maximumCount)), picture)
        }
    }

    /// The picture as the whole view needs it, and as all its slices need it.
    ///
    /// Both are the same pixels if the picture's format has no smaller sizes. A JPEG file is decoded small for the whole view, which
    /// costs little and keeps fine patterns from becoming coarse ones, and once more for all slices.
    private func decoded(
        _ image: VisionImage,
        for placements: [Placement]
    ) throws(ImageError) -> (picture: DecodedImage, closer: DecodedImage) {
        let picture = try image.decoded(for: Array(placements.prefix(1)))
        let slices = placements.filter { !picture.suffices(for: $0) }
        return (picture, slices.isEmpty ? picture : try image.decoded(for: slices))
    }

    /// The class of a box as a label, whatever its confidence; nil where the model knows no classes or a classifier names
    /// the objects.
    func label(of detection: DetectedObject) -> Label? {
        guard givesLabels || wantedNames != nil else { return nil }
        if model.namesSomeObjects { return detection.labels.first }
        return detection.classIndex.map {
            Label(text: model.names[$0], index: $0, confidence: detection.objectConfidence)
        }
    }

    /// The labels of an object whose most confident class is known; nil if the object is not wanted.
    ///
    /// - Parameter share: the share of the picture that the object covers.
    func labels(_ best: Label?, covering share: Double) -> [Label]? {
        let reported = reported(best, covering: share)
        guard let permitted = wantedNames.map({ $0.permitted(reported) }) ?? reported else { return nil }
        return givesLabels ? permitted : []
    }

    /// Whether an object that is not wanted could be of an allowed kind, because its name is not sure.
    func isUnnamed(_ best: Label?, covering share: Double) -> Bool {
        wantedNames?.isUnnamed(reported(best, covering: share)) ?? false
    }

    private func reported(_ best: Label?, covering share: Double) -> [Label] {
        best.flatMap { naming.reported($0, covering: share) }.map { [$0] } ?? []
    }

    private func isWanted(_ candidate: Candidate, _ thresholds: ClassThresholds) -> Bool {
        candidate.score >= thresholds[candidate.classIndex] && isWanted(candidate)
    }

    /// Whether the options permit the class of a box.
    func isWanted(_ candidate: Candidate) -> Bool {
        wantedClasses?.permits(model.names[candidate.classIndex]) ?? true
    }

    /// The boxes of a view as objects in the picture, the most confident first, without those that suppression drops.
    func objects(from wanted: [Candidate], _ placement: Placement, in view: PixelRect) -> [DetectedObject] {
        var budget = 0.0
        return suppressed(wanted).compactMap { object(of: $0, nil, placement, in: view, budget: &budget) }
    }

    /// The boxes that suppression keeps, the most confident first.
    private func suppressed(_ wanted: [Candidate]) -> [Candidate] {
        let kept =
            if let iouThreshold, model.head.averagesOverlaps {
                NonMaximumSuppression.average(
                    wanted,
                    iouThreshold: iouThreshold,
                    acrossClasses: options.suppressesAcrossClasses
                )
            } else if let iouThreshold {
                NonMaximumSuppression.suppress(
                    wanted,
                    iouThreshold: iouThreshold,
                    acrossClasses: options.suppressesAcrossClasses || model.namesSomeObjects,
                    insideShare: model.namesSomeObjects && keptShare != nil ? NestedBoxes.insideShare : nil
                )
            } else {
                wanted
            }
        return kept.sorted { $0.score > $1.score }
    }

    /// The number of objects of a view that get masks, the most confident first.
    private static let maskCount = 300
    /// The area of all frames in which masks are computed for a view, in pictures. The masks of real pictures hardly overlap, but a hostile
    /// model could ask for any number of whole pictures.
    private static let maskedPictures = 8.0

    /// A box as an object in the picture; nil if it lies outside the view.
    ///
    /// - Parameter budget: the pixels for which masks may still be computed. An object whose frame has more gets no mask.
    private func object(
        of candidate: Candidate,
        _ mask: MaskGrid?,
        _ placement: Placement,
        in view: PixelRect,
        budget: inout Double
    ) -> DetectedObject? {
        let box = placement.pictureRect(
            left: Double(candidate.left),
            top: Double(candidate.top),
            right: Double(candidate.right),
            bottom: Double(candidate.bottom)
        )
        // Models place edges a little outside; an object is where the picture is.
        guard let frame = box.intersection(view) else { return nil }
        var pixels: ObjectMask?
        if let mask, frame.area <= budget {
            budget -= frame.area
            pixels = mask.mask(in: frame, placement)
        }
        let points = candidate.points?.map { point in
            ObjectPoint(
                point.name,
                at: placement.picturePoint(x: Double(point.x), y: Double(point.y)),
                confidence: point.confidence
            )
        }
        guard let classScore = candidate.classScore else {
            return DetectedObject(
                frame: frame,
                confidence: candidate.score,
                classIndex: model.isClassAgnostic ? nil : candidate.classIndex,
                points: points,
                mask: pixels
            )
        }
        let index = candidate.classIndex
        let label = Label(text: model.names[index], index: index, confidence: classScore)
        return DetectedObject(frame: frame, confidence: candidate.score, labels: [label], points: points, mask: pixels)
    }

    /// The objects that are confident enough although boxes inside boxes are doubted.
    private func doubted(
        _ objects: [DetectedObject],
        _ thresholds: ClassThresholds,
        in size: PixelSize
    ) -> [DetectedObject] {
        guard let keptShare else { return objects }
        return NestedBoxes.doubted(objects, keptShare: keptShare) { kind(of: $0, in: size) }.filter {
            $0.objectConfidence >= thresholds[$0.classIndex]
        }
    }

    /// The property that distinguishes a box from others that it may lie in; nil where there is none.
    private func kind(of object: DetectedObject, in size: PixelSize) -> Int? {
        if options.suppressesAcrossClasses { return nil }
        guard model.namesSomeObjects else { return object.classIndex }
        return reported(object.labels.first, covering: object.frame.share(of: size)).first?.index
    }
}
