import TensorFlowLite

/// The models of a detector, read and ready to be compiled: a model that finds objects, and perhaps a classifier that names
/// them.
struct DetectionModels: Sendable {
    private(set) var detection: DetectionStage
    private(set) var classification: ClassificationStage?
    private let threads: Int

    /// The compiled models, for one owner.
    struct Runners {
        var detector: DetectionRunner
        var classifier: ModelRunner?
    }

    /// Reads the models' files.
    ///
    /// - Throws: `LocalModelError`.
    init(_ options: ObjectDetectorOptions) throws {
        detection = DetectionStage(model: try DetectionModel(options.model, threads: options.threads), options: options)
        classification =
            if options.classifiesObjects, let classifier = options.classifier {
                ClassificationStage(
                    classifier: try Classifier(classifier, threads: options.threads),
                    options: options,
                    choosesObjects: detection.model.isChosenByNames
                )
            } else {
                nil
            }
        threads = options.threads
    }

    /// Replaces models with their optimized forms where available.
    ///
    /// - Parameter scoreThreshold: the score below which the caller ignores all boxes.
    mutating func optimize(scoreThreshold: Float) {
        detection.model.optimize(scoreThreshold: scoreThreshold)
        classification?.classifier.optimize()
    }

    /// Whether a rewritten form of a model runs in its place.
    var areRewritten: Bool {
        detection.model.files.isRewritten || classification?.classifier.files.isRewritten == true
    }

    /// Whether names choose the objects, which are known only after the boxes.
    var namesChooseObjects: Bool {
        detection.wantedNames != nil || classification?.choosesObjects == true
    }

    /// The models of these options, with the files of other models, which are the same and compiled already.
    func sharing(_ compiled: DetectionModels) -> DetectionModels {
        var models = self
        models.detection.model = compiled.detection.model
        if let classifier = compiled.classification?.classifier { models.classification?.classifier = classifier }
        return models
    }

    /// The same models, which are read and compiled already, under other options of the same models.
    func under(_ options: ObjectDetectorOptions) -> DetectionModels {
        var models = self
        models.detection = DetectionStage(model: detection.model, options: options)
        if let classification {
            models.classification =
                options.classifiesObjects
                ? ClassificationStage(
                    classifier: classification.classifier,
                    options: options,
                    choosesObjects: detection.model.isChosenByNames
                ) : nil
        }
        return models
    }

    /// The names that the options of these models can contain.
    var labelNames: ObjectDetectorOptions.LabelNames {
        let model = detection.model
        let own = model.isClassAgnostic ? [] : model.names.reported
        let classified = classification?.classifier.names.reported ?? own
        // A group may have the name of a class.
        let groups = classification == nil ? model.groups.map(\.name).filter { !own.contains($0) } : []
        return .init(
            chosen: (model.isChosenByNames ? classified : own) + groups,
            detected: model.isChosenByNames ? [] : own,
            classified: classified
        )
    }

    /// The models, with a rewritten form of the model that finds objects in its place.
    func running(_ rewritten: Model) -> DetectionModels {
        var models = self
        models.detection.model = detection.model.running(rewritten)
        return models
    }

    /// Compiles the models.
    ///
    /// - Throws: `RuntimeError`, `ModelError`, `InterpreterError`.
    func makeRunners() throws -> Runners {
        Runners(detector: try makeDetector(), classifier: try makeClassifier())
    }

    /// Compiles the model that finds objects.
    func makeDetector() throws -> DetectionRunner { try detection.model.makeRunner(threads: threads) }

    /// Compiles the classifier, if there is one.
    func makeClassifier() throws -> ModelRunner? { try classification?.classifier.makeRunner(threads: threads) }

    /// The models, with the meaning of the detector's outputs, which may take a run.
    ///
    /// - Parameter detector: a compiled copy of the model that finds objects.
    func probed(with detector: inout DetectionRunner) throws -> DetectionModels {
        var models = self
        models.detection.model = try detection.model.probed(with: &detector)
        return models
    }
}

extension ObjectDetectorOptions {
    /// The names of all classes by their indices, with a background class if the model has one; empty if the models have no labels.
    ///
    /// Reads the models' files.
    ///
    /// - Throws: `LocalModelError`.
    package func classNames() throws -> [String] {
        let models = try DetectionModels(self)
        let model = models.detection.model
        if model.isChosenByNames, let classification = models.classification {
            return classification.classifier.names.names
        }
        return model.names.names + model.groups.map(\.name)
    }

    /// The confidence from which a box is an object: ``scoreThreshold``, otherwise that of the model. Labels may have their own.
    ///
    /// Reads the models' files.
    ///
    /// - Throws: `LocalModelError`.
    package func leastConfidence() throws -> Float { try DetectionModels(self).detection.scoreThresholds[nil] }

    /// The names that the options can contain; empty where the models have no labels.
    ///
    /// Reads the models' files.
    ///
    /// - Throws: `LocalModelError`.
    package func labelNames() throws -> LabelNames { try DetectionModels(self).labelNames }

    /// The names that options of a detector can contain.
    package struct LabelNames: Sendable {
        /// The names for ``ObjectDetectorOptions/allowedLabels`` and ``ObjectDetectorOptions/deniedLabels``.
        package let chosen: [String]
        /// The names for ``ObjectDetectorOptions/scoreThresholds``.
        package let detected: [String]
        /// The names for ``ObjectDetectorOptions/classificationThresholds``.
        package let classified: [String]
    }
}
