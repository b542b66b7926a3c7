import Foundation

extension Hub {
    /// Adds a label file to a model in a separate process, because the model is untrusted.
    ///
    /// - Parameter name: The name of the label file in the model.
    func pack(_ labels: URL, named name: String, into model: URL, of project: Project) async throws -> DerivedModel {
        try await makeModel(
            ["pack-labels", model.path, labels.path, name],
            of: project,
            words: .init(
                failure: "The labels cannot be packed into the model",
                alternative: "Pack them with `sightline hub publish`."
            )
        )
    }
}
