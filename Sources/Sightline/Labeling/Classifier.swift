import TensorFlowLite

/// A classification model: its input, its output, and the names of its classes.
struct Classifier: Sendable {
    private(set) var files: ModelFiles
    let input: ImageInput
    let head: ClassifierHead
    let names: ClassNames

    /// Reads a model's files and checks that it is a classifier of pictures.
    ///
    /// - Parameter threads: the number of threads with which the model will run.
    init(_ local: LocalModel, threads: Int = 1) throws(LocalModelError) {
        try self.init(files: ModelFiles(local, threads: threads))
    }

    /// Reads a classifier of whole pictures: one that names the boxes of another model is none.
    init(ofPictures local: LocalModel, threads: Int = 1) throws(LocalModelError) {
        try self.init(local, threads: threads)
        try checkThatItNamesPictures()
    }

    /// - Throws: `LocalModelError.output` if the model names the boxes of another model.
    func checkThatItNamesPictures() throws(LocalModelError) {
        guard files.sidecar.proposals != nil else { return }
        throw .output(model: files.name, reason: Self.isDetector)
    }

    private static let isDetector =
        "it finds objects instead of naming pictures: use ObjectDetector or `sightline detect`"

    init(files: ModelFiles) throws(LocalModelError) {
        self.files = files
        try DetectorHeads.checkName(in: files)
        do {
            head = try ClassifierHead(files)
        } catch {
            guard (try? DetectorHeads.find(in: files)) != nil else { throw error }
            throw .output(model: files.name, reason: Self.isDetector)
        }
        guard files.sidecar.input?.overview == nil else {
            throw .sidecar(
                path: files.sidecarPath,
                reason: "input.overview is for detectors, and \(files.name) names pictures"
            )
        }
        input = try ImageInput(files, floatRange: ModelFormat.classifierRange(of: files.model))
        names = try files.classNames(classifierWith: head.classCount)
    }

    /// The fit of a picture or object: as the sidecar asks for it, otherwise as `preferred`.
    func fit(preferred: ImageFit) -> ImageFit {
        files.sidecar.fit(preferred: preferred)
    }

    /// Lets a faster form of the model run in its place, if there is one.
    mutating func optimize() { files = files.optimized() }

    /// The model with a rewritten form that runs in its place.
    func running(_ executable: any InferenceModel) -> Classifier {
        var classifier = self
        classifier.files = files.running(executable)
        return classifier
    }

    /// A compiled copy of the model for one owner.
    func makeRunner(threads: Int) throws -> ModelRunner {
        try ModelRunner(files: files, input: input, threads: threads)
    }
}
