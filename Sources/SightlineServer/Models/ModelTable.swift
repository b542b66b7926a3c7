import Sightline
import Synchronization

/// The models of a server by name. A model may be replaced at any time; requests that use the earlier one finish with it.
package final class ModelTable: Sendable {
    private struct Row {
        let name: String
        let source: String
        var loaded: LoadedModel?
        var problem: String?
        var rollout: Rollout?
    }

    /// A rollout of a hub's model, by the shares of requests.
    struct Rollout: Sendable {
        /// The versions of the shares that get another one than the model's own; nil for the others.
        let versions: [LoadedModel?]
        /// Where the results of the shares go; nil for shares that are not compared.
        let reports: [OutcomeReport?]
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

    /// Begins, changes or ends the rollout of a model.
    func setRollout(_ rollout: Rollout?, of name: String) {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.name == name }) else { return }
            rows[index].rollout = rollout
        }
    }

    /// Notes why the newest version of a model is not in use; nil if it is.
    func note(_ problem: String?, about name: String) {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.name == name }) else { return }
            rows[index].problem = problem
        }
    }

    /// The detector of a name for requests with a key, and where its results go; the first detector for nil.
    func detector(
        named name: String?,
        for key: String
    ) throws(AnswerError) -> (AnswerModel, ObjectDetector, OutcomeReport?) {
        let (loaded, report) = try model(named: name, kind: .detection, for: key)
        guard case .detector(let detector) = loaded.engine else {
            throw .invalid("The model \(loaded.version.model.name) labels pictures; ask for labels instead of objects.")
        }
        return (loaded.version.model, detector, report)
    }

    /// The labeler of a name for requests with a key, and where its results go; the first labeler for nil.
    func labeler(
        named name: String?,
        for key: String
    ) throws(AnswerError) -> (AnswerModel, ImageLabeler, OutcomeReport?) {
        let (loaded, report) = try model(named: name, kind: .labeling, for: key)
        guard case .labeler(let labeler) = loaded.engine else {
            throw .invalid("The model \(loaded.version.model.name) finds objects; ask for objects instead of labels.")
        }
        return (loaded.version.model, labeler, report)
    }

    private func model(
        named name: String?,
        kind: ServedModel.Kind,
        for key: String
    ) throws(AnswerError) -> (LoadedModel, OutcomeReport?) {
        let row = try row(named: name, kind: kind)
        guard let loaded = row.loaded else { throw Self.notReady(row.name) }
        guard let rollout = row.rollout else { return (loaded, nil) }
        let share = RequestShares.number(of: key)
        return (rollout.versions[share] ?? loaded, rollout.reports[share])
    }

    /// The model of a name, in the version that is not rolled out; the first of a kind for nil.
    func model(named name: String?, kind: ServedModel.Kind) throws(AnswerError) -> LoadedModel {
        let row = try row(named: name, kind: kind)
        guard let loaded = row.loaded else { throw Self.notReady(row.name) }
        return loaded
    }

    private func row(named name: String) throws(AnswerError) -> Row {
        let rows = rows.withLock { $0 }
        guard let row = rows.first(where: { $0.name == name }) else {
            throw AnswerError(
                .notFound,
                "There is no model \"\(name.prefix(80))\"; the models are \(rows.map(\.name).joined(separator: ", "))."
            )
        }
        return row
    }

    private func row(named name: String?, kind: ServedModel.Kind) throws(AnswerError) -> Row {
        if let name { return try row(named: name) }
        let rows = rows.withLock { $0 }
        if let row = rows.first(where: { $0.loaded?.version.kind == kind }) { return row }
        if let row = rows.first(where: { $0.loaded == nil }) { return row }
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
