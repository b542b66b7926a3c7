extension Hub {
    /// Creates a data set.
    func createDataSet(_ name: String, by caller: Caller) async throws -> DataSet {
        try caller.require(.publisher)
        try DataSet.check(name: name)
        let dataSet = DataSet(id: 0, project: caller.project.id, name: name, actor: caller.actor, createTime: now())
        return try await records.insert(dataSet, audit: audit(caller, "dataset.create", dataSet.resourceName))
    }

    /// The data set of a project with a name.
    ///
    /// - Throws: `.notFound`.
    func dataSet(_ name: String, of caller: Caller) async throws -> DataSet {
        guard let dataSet = try await records.dataSet(name, of: caller.project.id) else {
            throw HubError(
                .notFound,
                "The project \"\(caller.project.id)\" has no data set \"\(name.prefix(80))\"; `sightline hub dataset list` shows the existing ones."
            )
        }
        return dataSet
    }

    /// Deletes a data set: its photos with their files, unless another record needs these, and its trainings. Models that were trained
    /// on it stay.
    func deleteDataSet(_ dataSet: DataSet, by caller: Caller) async throws {
        try caller.require(.editor)
        let count = try await records.counts(ofDataSet: dataSet.id).photos
        let entry = audit(caller, "dataset.delete", dataSet.resourceName, "\(count) photos")
        guard let hashes = try await records.deleteDataSet(dataSet.id, of: dataSet.project, audit: entry) else {
            throw HubError.entityNotFound
        }
        await removeFilesIfUnused(hashes)
    }
}
