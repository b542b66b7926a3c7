import TensorFlowLite

/// A classification model: its input, its output, and the names of its classes.
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
        try DetectorHeads.checkName(in: files)
        head = try ClassifierHead(files)
        input = try ImageInput(files, floatRange: .plusMinusOne)
        names = try files.classNames(classifierWith: head.classCount)
    }

    /// How a picture or object is fitted: as the sidecar asks for it, otherwise as `preferred`.
    func fit(preferred: ImageFit) -> ImageFit {
        files.sidecar.fit(preferred: preferred)
    }

    /// A compiled copy of the model for one owner.
    func makeRunner(threads: Int) throws -> ModelRunner {
        try ModelRunner(files: files, input: input, threads: threads)
    }
}
