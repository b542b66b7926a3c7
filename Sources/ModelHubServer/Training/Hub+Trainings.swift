import Foundation

extension Hub {
    /// Starts a training on the photos of a data set that have labels or drawn boxes. It waits for its turn.
    ///
    /// - Parameters:
    ///   - model: The display name of the model that gets the version; nil for the name of the data set.
    ///   - kind: The kind of model; nil for boxes if the data set has some, and otherwise labels.
    /// - Throws: `.failedPrecondition` if the photos have fewer than two labels, or no boxes, or if a training on them is under way;
    ///   `.resourceExhausted` if the project has too many open trainings.
    func train(on dataSet: DataSet, as model: String?, _ kind: Training.Kind? = nil, by caller: Caller) async throws
        -> Training
    {
        try caller.require(.publisher)
        guard options.evaluator != nil else {
            throw HubError(.unimplemented, "This hub cannot train models; serve it with `sightline hub serve`.")
        }
        let model = model.flatMap { $0.isEmpty ? nil : $0 } ?? dataSet.name
        try ModelRules.check(displayName: model)
        let counts = try await records.counts(ofDataSet: dataSet.id)
        let kind = kind ?? (counts.boxLabels.isEmpty ? .labels : .boxes)
        guard kind == .labels || !counts.boxLabels.isEmpty && counts.boxed > 1 else {
            let found = counts.boxLabels.isEmpty ? "no photo of \"\(dataSet.name)\" has a box" : "there is one photo"
            throw HubError(
                .failedPrecondition,
                "A detector learns from boxes in two photos or more, but \(found); draw some, or add an archive with annotations in COCO's format."
            )
        }
        guard kind == .boxes || counts.labels.count > 1 else {
            let found = counts.labels.first.map { "the photos of \"\(dataSet.name)\" all have the label \($0.label)" }
            throw HubError(
                .failedPrecondition,
                "A model tells at least two labels apart, but \(found ?? "no photo of \"\(dataSet.name)\" has a label"); add photos of other "
                    + "labels, or photos of nothing with the label background."
            )
        }
        let training = Training(
            id: 0,
            project: caller.project.id,
            dataSet: dataSet.id,
            dataSetName: dataSet.name,
            model: model,
            kind: kind,
            actor: caller.actor,
            state: .waiting,
            createTime: now()
        )
        let used = kind == .labels ? counts.labeled : counts.boxed
        let entry = audit(
            caller,
            "training.start",
            "",
            "\(model), on \(used) photos with \(kind.rawValue) of \(dataSet.name)"
        )
        return try await records.insert(training, audit: entry)
    }

    /// The training with an id.
    ///
    /// - Throws: `.notFound`.
    func training(_ id: String, of caller: Caller) async throws -> Training {
        guard let number = try? ModelRecord.id(id),
            let training = try await records.training(number, of: caller.project.id)
        else {
            throw HubError(.notFound, "The project \"\(caller.project.id)\" has no training \(id.prefix(40)).")
        }
        return training
    }

    /// Cancels a training; has no effect on one that ended.
    ///
    /// - Throws: `.failedPrecondition` if its model is being stored.
    func cancelTraining(_ training: Training, by caller: Caller) async throws -> Training {
        try caller.require(.publisher)
        let entry = audit(caller, "training.cancel", training.resourceName)
        let isCanceled = try await records.cancelTraining(training, at: now(), audit: entry)
        let current = try await self.training("\(training.id)", of: caller)
        guard isCanceled || !current.state.isOpen else {
            throw HubError(
                .failedPrecondition,
                "The model of the training \(training.id) is being stored; wait a moment."
            )
        }
        return current
    }
}
