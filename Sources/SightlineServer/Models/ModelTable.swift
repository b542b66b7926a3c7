import Sightline
import Synchronization

/// The models of a server by name. A model may be replaced at any time; requests that use the earlier one finish with it.
package final class ModelTable: Sendable {
    private struct Row {
        let name: String
        let source: String
        var loaded: LoadedModel?
        var problem: String?
    }

    private let rows: Mutex<[Row]>

    /// Creates a table.
    ///
    /// - Parameter sources: the names and sources of the models, in the order in which requests without a name try them, with the
    ///   models that are loaded already.
    init(_ sources: [(name: String, source: String, loaded: LoadedModel?)]) {
        rows = Mutex(sources.map { Row(name: $0.name, source: $0.source, loaded: $0.loaded) })
    }

    /// All models.
    var descriptions: [ServedModel] {
        rows.withLock { rows in
            rows.map {
                ServedModel(name: $0.name, source: $0.source, version: $0.loaded?.version, problem: $0.problem)
            }
        }
    }

    /// Whether all models are loaded.
    var isComplete: Bool { rows.withLock { rows in rows.allSatisfy { $0.loaded != nil } } }

    /// Puts a model into use, between two requests.
    func replace(_ name: String, with loaded: LoadedModel) {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.name == name }) else { return }
            (rows[index].loaded, rows[index].problem) = (loaded, nil)
        }
    }

    /// Notes why the newest version of a model is not in use; nil if it is.
    func note(_ problem: String?, about name: String) {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.name == name }) else { return }
            rows[index].problem = problem
        }
    }

    /// The detector of a name; the first for nil.
    func detector(named name: String?) throws(AnswerError) -> (AnswerModel, ObjectDetector) {
        let loaded = try model(named: name, kind: .detection)
        guard case .detector(let detector) = loaded.engine else {
            throw .invalid("The model \(loaded.version.model.name) labels pictures; ask for labels instead of objects.")
        }
        return (loaded.version.model, detector)
    }

    /// The labeler of a name; the first for nil.
    func labeler(named name: String?) throws(AnswerError) -> (AnswerModel, ImageLabeler) {
        let loaded = try model(named: name, kind: .labeling)
        guard case .labeler(let labeler) = loaded.engine else {
            throw .invalid("The model \(loaded.version.model.name) finds objects; ask for objects instead of labels.")
        }
        return (loaded.version.model, labeler)
    }

    private func model(named name: String?, kind: ServedModel.Kind) throws(AnswerError) -> LoadedModel {
        let rows = rows.withLock { $0 }
        if let name {
            guard let row = rows.first(where: { $0.name == name }) else {
                throw AnswerError(
                    .notFound,
                    "There is no model \"\(name.prefix(80))\"; the models are \(rows.map(\.name).joined(separator: ", "))."
                )
            }
            guard let loaded = row.loaded else { throw Self.notReady(row.name) }
            return loaded
        }
        if let loaded = rows.lazy.compactMap(\.loaded).first(where: { $0.version.kind == kind }) { return loaded }
        if let row = rows.first(where: { $0.loaded == nil }) { throw Self.notReady(row.name) }
        let work = kind == .detection ? "finds objects" : "labels pictures"
        throw AnswerError(.notFound, "The server has no model that \(work); start it with another --model.")
    }

    private static func notReady(_ name: String) -> AnswerError {
        AnswerError(
            .serviceUnavailable,
            "The model \(name) is not downloaded yet; try again in a moment.",
            retryAfter: .seconds(5)
        )
    }
}
