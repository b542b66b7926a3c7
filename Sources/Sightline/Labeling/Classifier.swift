import TensorFlowLite

/// A classification model: what it takes, what it gives, what its classes are called.
struct Classifier: Sendable {
    let files: ModelFiles
    let input: ImageInput
    let head: ClassifierHead
    let names: ClassNames

    /// Reads a model's files and checks that it is a classifier of pictures.
    init(_ local: LocalModel) throws(LocalModelError) {
        try self.init(files: ModelFiles(local))
    }

    init(files: ModelFiles) throws(LocalModelError) {
        self.files = files
        head = try ClassifierHead(files)
        input = try ImageInput(files, floatRange: .plusMinusOne)
        names = try files.classNames(classifierWith: head.classCount)
    }

    /// The threshold with the documented precedence: an explicit valid value, the model's own, then 0.
    func threshold(explicit: Float?) -> Float {
        explicit?.validConfidence ?? files.recommendedThreshold ?? 0
    }

    /// How a picture or object is fitted: what the sidecar says, otherwise `preferred`.
    func fit(preferred: ImageFit) -> ImageFit {
        files.sidecar.fit(preferred: preferred)
    }

    /// A compiled copy of the model for one owner.
    func makeRunner(threads: Int) throws -> ModelRunner {
        try ModelRunner(files: files, input: input, threads: threads)
    }
}
