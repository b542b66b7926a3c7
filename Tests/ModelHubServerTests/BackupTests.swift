import Foundation
import NIOCore
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The readers of a backup, and the checks of one.
@Suite(.hangLimit)
struct BackupTests {
    /// Calls `body` with a hub with a published model, its backup, and a folder for a new hub.
    private func withBackup(
        files: FileBackend = TestHub.files,
        _ body: (TestHub, _ backup: URL, _ restored: URL) async throws -> Void
    ) async throws {
        try await TestHub.with(opening: { try await files.files(in: $0) }) { test in
            try await test.serve { client in _ = try await client.publish("plants", file: fakeModel()) }
            try await withTemporaryFolder { elsewhere in
                let backup = elsewhere.appending(path: "backup")
                _ = try await test.hub.backUp(to: backup)
                try await body(test, backup, elsewhere.appending(path: "restored"))
            }
        }
    }

    private func mode(_ url: URL) throws -> mode_t {
        var status = stat()
        try #require(lstat(url.path, &status) == 0)
        return status.st_mode & 0o777
    }

    /// The file of the model in a hub or backup.
    private func blob(in folder: URL) -> URL {
        let hash = sha256(fakeModel())
        return folder.appending(path: "blobs/\(hash.prefix(2))/\(hash).blob")
    }

    @Test func aBackupIsReadableByItsOwnerAlone() async throws {
        try await withBackup(files: .folder) { test, _, restored in
            // Both folders were there before, for all to enter.
            let backup = restored.deletingLastPathComponent().appending(path: "open")
            for folder in [backup, restored] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try #require(chmod(folder.path, 0o755) == 0)
            }
            #expect(chmod(blob(in: test.folder).path, 0o644) == 0)
            #expect(try await test.hub.backUp(to: backup).isFolderOpenToOthers)
            try await Hub.restore(from: backup, to: restored)
            for folder in [backup, restored] {
                #expect(try mode(folder.appending(path: "hub.sqlite")) == 0o600)
                #expect(try mode(folder.appending(path: "blobs")) == 0o700)
                #expect(try mode(blob(in: folder)) == 0o600)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
            #expect(Set(names) == ["hub.sqlite", "blobs"])
        }
    }

    /// A scheduled backup and one by hand, or one that takes longer than its period.
    @Test func backupsIntoOneFolderAtOnceLeaveAWholeOne() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                // All files have the same size.
                for number in 1...12 {
                    _ = try await client.publish("plants\(number)", file: fakeModel(number, byteCount: 200_000))
                }
            }
            try await withTemporaryFolder { elsewhere in
                let backup = elsewhere.appending(path: "backup")
                let results = try await eightAtOnce { _ -> String in
                    do {
                        _ = try await test.hub.backUp(to: backup)
                        return "done"
                    } catch let error as HubError where error.code == .aborted {
                        return "refused"
                    }
                }
                #expect(results.contains("done"))
                let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
                #expect(Set(names) == ["hub.sqlite", "blobs"])
                let restored = elsewhere.appending(path: "restored")
                try await Hub.restore(from: backup, to: restored)
                let hub = try await Hub(data: restored, validator: IdentifierValidator())
                let verification = try await hub.verify()
                #expect(verification.problems.isEmpty && verification.intactFiles == 12)
                try await hub.close()
            }
        }
    }

    /// The other process may have written anything so far.
    @Test func whileAnotherProcessWritesItNothingChangesABackup() async throws {
        try await withBackup { test, backup, restored in
            let before = try Data(contentsOf: backup.appending(path: "hub.sqlite"))
            try await test.serve { client in _ = try await client.publish("more", file: fakeModel(2)) }
            let descriptor = open(backup.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            let error = await #expect(throws: HubError.self) { _ = try await test.hub.backUp(to: backup) }
            #expect(error?.message.contains("Another command writes a backup into") == true)
            close(descriptor)
            #expect(try Data(contentsOf: backup.appending(path: "hub.sqlite")) == before)
            try await Hub.restore(from: backup, to: restored)
        }
    }

    @Test func whatAKilledBackupLeftIsReplaced() async throws {
        try await withBackup { test, backup, restored in
            for name in ["hub.sqlite.part", "hub.sqlite.part-wal", "hub.sqlite-wal", "copied-0a.part"] {
                try Data("rest".utf8).write(to: backup.appending(path: name))
            }
            _ = try await test.hub.backUp(to: backup)
            let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
            #expect(Set(names) == ["hub.sqlite", "blobs"])
            try await Hub.restore(from: backup, to: restored)
        }
    }

    /// Its newest changes are not in the file of its records yet.
    @Test func theFolderOfAHubInUseIsNoBackup() async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "hub")
            let hub = try await Hub(data: data, validator: IdentifierValidator())
            _ = try await hub.createProject("my-plants", quota: nil, requiresInstallation: false)
            let restored = folder.appending(path: "restored")
            let error = await #expect(throws: HubError.self) { try await Hub.restore(from: data, to: restored) }
            #expect(error?.code == .failedPrecondition)
            try await hub.close()
            try await Hub.restore(from: data, to: restored)
            let again = try await Hub(data: restored, validator: IdentifierValidator())
            #expect(try await again.projects().map(\.id) == ["my-plants"])
            try await again.close()
        }
    }

    @Test func aHubIsNotBackedUpIntoItself() async throws {
        try await withBackup(files: .folder) { test, _, _ in
            let link = test.folder.deletingLastPathComponent().appending(path: UUID().uuidString)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: test.folder)
            defer { unlink(link.path) }
            for folder in [test.folder, link] {
                let error = await #expect(throws: HubError.self) { _ = try await test.hub.backUp(to: folder) }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test func theFolderOfABackupThatWasMadeForItIsItsOwnersAlone() async throws {
        try await withBackup { test, backup, _ in
            let again = try await test.hub.backUp(to: backup)
            #expect(again == Backup(copiedFiles: 0, replacedFiles: 0, wholeFiles: 1, isFolderOpenToOthers: false))
        }
    }

    @Test(arguments: ["hub.sqlite", "blob", "pipe"])
    func aBackupWithSomethingElseInPlaceOfAFileIsRefused(_ name: String) async throws {
        try await withBackup { _, backup, restored in
            let file = name == "hub.sqlite" ? backup.appending(path: name) : blob(in: backup)
            let other = backup.deletingLastPathComponent().appending(path: "other")
            try FileManager.default.moveItem(at: file, to: other)
            if name == "pipe" {
                try #require(mkfifo(file.path, 0o600) == 0)
            } else {
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
            }
            let error = await #expect(throws: HubError.self) { try await Hub.restore(from: backup, to: restored) }
            #expect(error?.code == .dataLoss)
            #expect(error?.message.contains("\(file.lastPathComponent) is a link or a device") == true)
            #expect(!FileManager.default.fileExists(atPath: restored.appending(path: "hub.sqlite").path))
        }
    }

    @Test func aBackupWithADamagedFileIsRefusedUntilTheFileIsGone() async throws {
        try await withBackup { _, backup, restored in
            let file = blob(in: backup)
            try fakeModel(2).write(to: file)
            let error = await #expect(throws: HubError.self) { try await Hub.restore(from: backup, to: restored) }
            #expect(error?.message.contains("\(file.path) is damaged") == true)
            #expect(!FileManager.default.fileExists(atPath: restored.appending(path: "hub.sqlite").path))
            try FileManager.default.removeItem(at: file)
            try await Hub.restore(from: backup, to: restored)
            let copy = try await Hub(data: restored, validator: IdentifierValidator())
            let problems = try await copy.verify().problems
            #expect(problems.count == 1 && problems.first?.contains("is missing") == true)
        }
    }

    @Test(arguments: ["other bytes", "a link"])
    func aFileOfABackupThatHasDecayedIsCopiedAgain(_ kind: String) async throws {
        try await withBackup(files: .folder) { test, backup, restored in
            let file = blob(in: backup)
            if kind == "a link" {
                try FileManager.default.removeItem(at: file)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: blob(in: test.folder))
            } else {
                try fakeModel(2).write(to: file)
            }
            let again = try await test.hub.backUp(to: backup)
            // A link does not count as a file of the backup, so the file is a new one.
            #expect(again.replacedFiles + again.copiedFiles == 1 && again.wholeFiles == 1)
            #expect(try await Hub.verifyBackup(backup).problems == [])
            try await Hub.restore(from: backup, to: restored)
        }
    }

    @Test func aBackupIsCheckedWithoutAChange() async throws {
        try await withBackup { _, backup, _ in
            let before = try contents(of: backup)
            #expect(
                try await Hub.verifyBackup(backup)
                    == Verification(intactFiles: 1, unreferencedFiles: 0, problems: [])
            )
            #expect(try contents(of: backup) == before)
        }
    }

    @Test(arguments: ["other bytes", "cut", "absent", "records"])
    func theCheckOfABackupFindsDamage(_ kind: String) async throws {
        try await withBackup { _, backup, _ in
            let file = blob(in: backup)
            switch kind {
            case "other bytes": try fakeModel(2).write(to: file)
            case "cut": try Data(contentsOf: file).dropLast(9).write(to: file)
            case "absent": try FileManager.default.removeItem(at: file)
            default:
                // Every page of the records but the first, which has the schema's beginning.
                let records = backup.appending(path: "hub.sqlite")
                var bytes = try Data(contentsOf: records)
                for page in stride(from: 8 * 4096, to: bytes.count - 4096, by: 4096) {
                    bytes.replaceSubrange(page..<page + 64, with: Data(repeating: 0xA5, count: 64))
                }
                try bytes.write(to: records)
            }
            #expect(try await Hub.verifyBackup(backup).problems.isEmpty == false)
        }
    }

    /// The bytes of each file of a folder.
    private func contents(of folder: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            contents[name] = try? Data(contentsOf: folder.appending(path: name))
        }
        return contents
    }

    @Test func aDamagedHubDoesNotSpoilItsBackup() async throws {
        try await withBackup(files: .folder) { test, backup, _ in
            try fakeModel(2).write(to: blob(in: test.folder))
            try FileManager.default.removeItem(at: blob(in: backup))
            let records = try Data(contentsOf: backup.appending(path: "hub.sqlite"))
            await #expect(throws: HubError.self) { try await test.hub.backUp(to: backup) }
            #expect(try Data(contentsOf: backup.appending(path: "hub.sqlite")) == records)
        }
    }

    @Test func aLinkInPlaceOfAModelsFileIsNotServed() async throws {
        try await withBackup(files: .folder) { test, _, restored in
            let file = blob(in: test.folder)
            try await test.serve { client in
                let info = try await client.send(.get, "\(TestClient.models)/plants:download")
                try FileManager.default.moveItem(at: file, to: restored)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: restored)
                let reply = try await client.send(.get, try requestTarget(info.text("downloadUri")), token: .some(nil))
                #expect(reply.status == 500)
                #expect(reply.body.firstRange(of: fakeModel()) == nil)
            }
        }
    }

    @Test func uploadsThatAreDeletedMeanwhileDoNotHarmABackup() async throws {
        try await withBackup { test, backup, restored in
            let caller = try await test.hub.caller(bearerToken: test.admin)
            let hub = test.hub
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<60 {
                        let staged = try hub.stage(for: caller.project)
                        try staged.append(ByteBuffer(bytes: fakeModel(number)))
                        let address = try ObjectAddress(bucket: "bucket", name: "\(number % 4)")
                        _ = try await hub.keep(
                            try staged.finish(),
                            at: staged.url,
                            entry: staged.entry,
                            as: address,
                            contentType: "",
                            by: caller
                        )
                        if number % 3 == 0 { _ = try await hub.deleteObject(address, by: caller) }
                    }
                }
                group.addTask { for _ in 0..<6 { _ = try await hub.backUp(to: backup) } }
                try await group.waitForAll()
            }
            try await Hub.restore(from: backup, to: restored)
            let copy = try await Hub(data: restored, validator: IdentifierValidator())
            #expect(try await copy.verify().problems == [])
        }
    }
}
