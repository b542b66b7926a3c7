import DurableFiles
import Foundation
import HTTPServing

/// The result of a copy.
package struct HubCopy: Sendable, Hashable {
    /// The number of files that were copied because the other hub did not have them.
    package var copiedFiles: Int
    /// The check of the other hub's records against the names and sizes of its files.
    package var verification: Verification
}

extension Hub {
    /// Copies the records and all their files into another hub, while this hub serves.
    ///
    /// Files that the other hub has are not copied again. The records appear there last and all at once, so an interrupted
    /// copy can be repeated. Each file is compared with its hash while it is copied. Unfinished uploads stay here.
    ///
    /// - Parameters:
    ///   - target: A hub without projects, in another place.
    ///   - progress: Receives the numbers of files that were copied and of all files, after each file.
    /// - Throws: `.alreadyExists` if the other hub has a project; `.dataLoss` if a file of this hub is damaged or missing.
    package func copy(to target: Hub, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) async throws -> HubCopy
    {
        try await BlockingExecutor.run { try await copyAll(to: target, progress: progress) }
    }

    private func copyAll(to target: Hub, progress: (_ done: Int, _ all: Int) -> Void) async throws -> HubCopy {
        guard try await target.projects().isEmpty else { throw RecordCopy.targetHasProjects }
        return try await PrivateFolder.with { folder in
            let file = folder.appending(path: "hub.sqlite")
            try SystemCalls.makePrivateFile(file)
            try await records.backUp(to: file)
            let copy = HubRecords(try SQLiteDatabase(file))
            let files = try await copyFiles(of: copy, to: target.blobs, by: target.uploads, progress: progress)
            var copied = files.copied
            for id in try await copy.evaluationIDs() {
                copied += try await target.evaluationFiles.copy(id, from: evaluationFiles, by: target.uploads)
            }
            try await copy.forgetUnneededBlobs()
            try await copy.forgetUploads()
            try await copy.setPlaceOfFiles(target.placeOfFiles)
            try await copy.database.close()
            try await target.records.takeOver(recordsIn: file)
            return HubCopy(
                copiedFiles: copied,
                verification: try await Verification(
                    of: target.records,
                    and: target.blobs,
                    known: files.stored,
                    readingFiles: false
                )
            )
        }
    }

    /// Copies the files that records need, unless they exist in the target.
    ///
    /// - Parameters:
    ///   - records: A copy of this hub's records.
    ///   - folder: A folder for parts, on the file system of the target if it is on this machine.
    /// - Returns: The number of copied files, and all files of the target. Files that were deleted after the records were
    ///   copied do not count, and their records are removed from the copy.
    func copyFiles(
        of records: HubRecords,
        to target: any BlobStore,
        by folder: URL,
        progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> (copied: Int, stored: [StoredBlob]) {
        var stored = try await Dictionary(
            target.contents().map { ($0.hash, $0.byteCount) },
            uniquingKeysWith: { $1 }
        )
        let missing = try await records.referencedBlobs().filter { stored[$0.key] != $0.value }
        var copied = 0
        for (done, (hash, byteCount)) in missing.enumerated() {
            try Task.checkCancellation()
            do {
                let file = try await blobs.open(hash)
                try await Self.copy(file, named: "The file \(hash) of the hub", as: hash, into: target, by: folder)
                copied += 1
                stored[hash] = byteCount
            } catch {
                guard try await isForgotten(hash) else { throw error }
                // The object and its file were deleted after the records were copied.
                try await records.deleteObjects(of: hash)
            }
            progress(done + 1, missing.count)
        }
        return (copied, stored.map { StoredBlob(hash: $0.key, byteCount: $0.value) })
    }

    /// Whether a file is missing and no longer needed.
    private func isForgotten(_ hash: BlobHash) async throws -> Bool {
        if try await blobs.contains(hash) { return false }
        return try await records.referencedBlobs()[hash] == nil
    }

    /// A path for a file that is being copied. No other copy has it, so none moves a half-written file into place.
    static func newPart(in folder: URL) -> URL {
        folder.appending(path: "\(partPrefix)\(RandomBytes.make(8).hexadecimalText).part")
    }

    /// Whether a name is that of a file that was being copied.
    static func isPart(_ name: String) -> Bool { name.hasPrefix(partPrefix) && name.hasSuffix(".part") }

    private static let partPrefix = "copied-"

    /// Copies a file, and compares it with its hash meanwhile.
    static func copy(
        _ file: StoredFile,
        named name: String,
        as hash: BlobHash,
        into target: any BlobStore,
        by folder: URL
    ) async throws {
        let part = newPart(in: folder)
        defer { unlink(part.path) }
        guard try await FileHash.copy(file, to: part).hash == hash else {
            throw HubError(
                .dataLoss,
                "\(name) is damaged: its SHA-256 differs from its name; replace it from another backup, or remove it to "
                    + "continue without it."
            )
        }
        try await target.store(fileAt: part, as: hash)
    }
}

extension EvaluationFileStore {
    /// Copies the pictures of an evaluation, unless they exist, and its report, each as a whole.
    ///
    /// - Parameter folder: A folder for parts, on the file system of the store if it is on this machine.
    /// - Returns: The number of new files. Files that were deleted meanwhile, and missing reports, do not count.
    func copy(_ evaluation: Int64, from source: any EvaluationFileStore, by folder: URL) async throws -> Int {
        let existing = try await files(of: evaluation)
        var copied = 0
        for file in try await source.files(of: evaluation) {
            if case .thumbnail = file { continue }
            do {
                let original = try await source.open(file, of: evaluation)
                // The report changes if the evaluation is repeated.
                if file == .pictures, existing.contains(file),
                    try await open(file, of: evaluation).byteCount == original.byteCount
                {
                    continue
                }
                let part = Hub.newPart(in: folder)
                defer { unlink(part.path) }
                _ = try await FileHash.copy(original, to: part)
                try await store(fileAt: part, as: file, of: evaluation)
                if !existing.contains(file) { copied += 1 }
            } catch let error as HubError where error.code == .notFound {
                continue
            }
        }
        return copied
    }
}
