import Foundation
import ModelHubProtocol
import TextFormatting

extension Hub {
    /// The time for reading the photos of an upload.
    private static let photoTimeout = Duration.seconds(1200)
    /// The number of photos that become records at once: those of smaller uploads are added all or not at all.
    private static let photosAtOnce = 500

    /// Adds the photos of a received file to a data set.
    ///
    /// A separate process reads the file, because it is untrusted. Before its first photo is stored, the number and the size of all photos
    /// are compared with the limits. Photos that the data set has already keep their labels.
    ///
    /// - Parameters:
    ///   - file: A picture, or a zip archive with a folder of pictures for each label, with a CSV file or with annotations in COCO's format.
    ///   - name: The name of the file.
    ///   - label: The label of all pictures; nil for the labels of an archive, or for a picture without a label.
    /// - Throws: `.invalidArgument` with the reason if the file cannot be used, `.resourceExhausted` if the data set or the quota has no
    ///   room.
    func addPhotos(
        _ file: StagedFile,
        named name: String,
        label: String?,
        to dataSet: DataSet,
        by caller: Caller
    ) async throws -> AddedPhotos {
        try caller.require(.publisher)
        let label = try DataSet.label(label)
        guard let worker = options.evaluator else {
            throw HubError(.unimplemented, "This hub cannot read photos; serve it with `sightline hub serve`.")
        }
        _ = try file.finish()
        let path = file.url.path
        let entry = file.entry
        let received = ReceivedPhotos(
            self,
            of: caller.project,
            room: DataSet.maximumPhotos,
            name: dataSet.name
        )
        let ending = try await photoReading.run(as: dataSet.project) {
            // From here on the photos count, and not the file, which is removed.
            entry?.release(noting: try await usageIfLimited(of: dataSet.project))
            let words = ["read-photos", path, "--name", name] + (label.map { ["--label", $0] } ?? [])
            return await WorkerProcess(worker, words).run(timeout: Self.photoTimeout) { received.take($0) }
        }
        withExtendedLifetime(file) {}
        if let failure = received.failure { throw failure.naming(name, insteadOf: path) }
        switch ending {
        case .finished: break
        case .crashed, .tooSlow:
            throw HubError(
                .invalidArgument,
                "\(name) takes too much time or memory to read; check its pictures, and add it in several parts."
            )
        case .stopped: throw CancellationError()
        case .notStarted(let reason):
            throw HubError(.internal, "The photos cannot be read (\(reason)); install the hub again.")
        }
        guard let skipped = received.skipped else {
            throw HubError(
                .invalidArgument,
                "\(name) cannot be read; check that it is a picture or a zip archive of pictures."
            )
        }
        let known = try await records.known(received.photos.map(\.hash), ofDataSet: dataSet.id)
        var seen = known.hashes
        let fresh = received.photos.filter { seen.insert($0.hash).inserted }
        guard known.count + fresh.count <= DataSet.maximumPhotos else { throw HubError.tooManyPhotos(dataSet.name) }
        let added = try await store(fresh, of: received, in: dataSet, from: name, by: caller)
        withExtendedLifetime(received) {}
        return AddedPhotos(
            addedCount: added,
            knownCount: received.photos.count - added,
            skippedCount: skipped.count,
            skipped: skipped.first,
            leftOutBoxCount: received.leftOutBoxCount,
            unlabeledCount: fresh.count { $0.photo.label == nil && $0.photo.boxes == nil }
        )
    }

    /// Stores photos: first their bytes, then their records.
    ///
    /// - Returns: The number of new photos.
    private func store(
        _ photos: [ReceivedPhotos.Received],
        of received: ReceivedPhotos,
        in dataSet: DataSet,
        from name: String,
        by caller: Caller
    ) async throws -> Int {
        var added = 0
        for start in stride(from: 0, to: photos.count, by: Self.photosAtOnce) {
            let part = photos[start..<min(start + Self.photosAtOnce, photos.count)]
            var claimed: [BlobHash] = []
            do {
                for photo in part {
                    try await claim(StoredBlob(hash: photo.hash, byteCount: photo.byteCount))
                    claimed.append(photo.hash)
                    try await blobs.store(fileAt: photo.url, as: photo.hash)
                }
                added += try await records.insert(
                    try await received.newPhotos(part),
                    into: dataSet,
                    at: now(),
                    audit: start == 0
                        ? audit(
                            caller,
                            "dataset.add",
                            dataSet.resourceName,
                            "\(NumberText.grouped(photos.count, "photo")) from \(name)"
                        )
                        : nil
                )
            } catch {
                // In a separate task, since the caller's task may be canceled.
                await Task { [claimed] in
                    for hash in claimed { try? await records.abandonClaim(of: hash) }
                    await removeFilesIfUnused(claimed)
                }.value
                throw error
            }
            let usage = try await usageIfLimited(of: dataSet.project)
            for photo in part { photo.entry?.release(noting: usage) }
        }
        return added
    }

    /// The bytes of a photo.
    func openPhoto(_ hash: BlobHash, of dataSet: DataSet) async throws -> StoredFile {
        guard try await records.photo(hash, ofDataSet: dataSet.id) != nil else { throw Self.noSuchPhoto(dataSet) }
        return try await blobs.open(hash)
    }

    /// Gives a photo another label; nil for none.
    func setLabel(_ label: String?, of hash: BlobHash, in dataSet: DataSet, by caller: Caller) async throws {
        try caller.require(.publisher)
        let label = try DataSet.label(label)
        let entry = audit(caller, "dataset.label", "\(dataSet.resourceName)/photos/\(hash)", label ?? "no label")
        guard try await records.setLabel(label, of: hash, in: dataSet, audit: entry) else {
            throw Self.noSuchPhoto(dataSet)
        }
    }

    /// Deletes a photo: its record, its small picture, and its file unless another record needs that.
    func deletePhoto(_ hash: BlobHash, of dataSet: DataSet, by caller: Caller) async throws {
        try caller.require(.publisher)
        let entry = audit(caller, "dataset.remove", "\(dataSet.resourceName)/photos/\(hash)")
        guard try await records.deletePhoto(hash, of: dataSet, audit: entry) else { throw Self.noSuchPhoto(dataSet) }
        await removeFilesIfUnused([hash])
    }

    static func noSuchPhoto(_ dataSet: DataSet) -> HubError {
        HubError(.notFound, "The data set \"\(dataSet.name)\" has no such photo; it may have been deleted.")
    }
}

extension HubError {
    /// The error with the name that the caller knows instead of a path of the hub.
    fileprivate func naming(_ name: String, insteadOf path: String) -> HubError {
        var error = self
        error.message = message.replacing(path, with: name)
        return error
    }
}
