import TensorFlowLite

/// The shapes of a model's outputs where its file leaves them open: they follow from the size of the input, and where the file does not
/// name that relation, from one run.
enum OpenShapes: Sendable {
    /// The file states them.
    case stated
    case found([[Int]])
    /// They could not be found, for this reason.
    case failed(String)

    /// Finds the shapes for the input of a model, with the size that the sidecar or the metadata choose.
    init(of files: ModelFiles, threads: Int) {
        guard let input = try? ImageInput(files, floatRange: .zeroToOne) else {
            self = .stated
            return
        }
        do {
            self =
                try files.model.outputShapes(withInput: input.index, of: input.shape, threads: threads)
                .map(OpenShapes.found) ?? .stated
        } catch {
            self = .failed("\(error)")
        }
    }
}

extension ModelFiles {
    /// Refuses a model whose outputs have shapes that could not be found.
    ///
    /// - Throws: `LocalModelError.runtime`.
    func checkOpenShapes() throws(LocalModelError) {
        if case .failed(let reason) = openShapes { throw .runtime(model: name, reason: reason) }
    }
}
