import Foundation
import ModelHubProtocol
import Testing

@testable import ModelHubServer

/// Projects, credentials and the audit log.
extension StoreConformanceTests {
    @Test(arguments: StoreBackend.allCases)
    func projectsHaveUniqueIdsAndNumbers(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let numbers = try await eightAtOnce { try await stores.project("project-\($0)").number }
            #expect(Set(numbers).count == 8)
            let made = try await eightAtOnce { _ in (try? await stores.project("the-same")) != nil }
            #expect(made.count(where: { $0 }) == 1)
            let ids = try await stores.records.projects().map(\.id)
            #expect(ids == (0..<8).map { "project-\($0)" } + ["the-same"])
            let taken = Project(id: "another", number: try #require(numbers.first), createTime: .now)
            let error = await #expect(throws: HubError.self) {
                _ = try await stores.records.insert(taken, audit: .test)
            }
            #expect(error?.code == .alreadyExists)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aProjectIsFoundChangedAndDeleted(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            var project = try await stores.project()
            #expect(try await records.project("my-plants") == project)
            #expect(try await records.project("\(project.number)") == project)
            (project.quota, project.requiresInstallation) = (5000, true)
            try await records.update(project, audit: .test)
            #expect(try await records.project("my-plants") == project)
            let model = try await records.insert(.test("plants"), version: nil, audit: .test)
            let error = await #expect(throws: HubError.self) {
                try await records.deleteProject("my-plants", audit: .test)
            }
            #expect(error?.code == .failedPrecondition)
            _ = try await records.deleteModel(model.id, of: "my-plants", at: .now, audit: .test)
            try await records.deleteProject("my-plants", audit: .test)
            #expect(try await records.project("my-plants") == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func theUsageCountsEachFileOnce(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project(quota: 100_000)
            let object = try await stores.storedObject("x", byteCount: 3000)
            _ = try await stores.records.insert(.test("plants"), version: .test(1, object), audit: .test)
            let usage = try await stores.records.usage(of: "my-plants")
            #expect(usage == ProjectUsage(byteCount: 3000 + 2 * ProjectUsage.recordSize, quota: 100_000))
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func eightWritersDoNotExceedTheQuota(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project(quota: 10_000)
            let stored = try await eightAtOnce { number in
                do {
                    _ = try await stores.storedObject("\(number)", byteCount: 2000)
                    return true
                } catch let error as HubError where error.code == .resourceExhausted {
                    return false
                }
            }
            #expect(stored.count(where: { $0 }) == 10_000 / (2000 + ProjectUsage.recordSize))
            #expect(try await stores.records.usage(of: "my-plants").byteCount <= 10_000)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aSecretBelongsToOneCredential(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let secret = Array(repeating: UInt8(7), count: 32)
            let inserted = try await eightAtOnce { number in
                let credential = Credential(
                    id: "\(number)",
                    project: "my-plants",
                    kind: .apiKey,
                    role: .viewer,
                    name: "app",
                    secretHash: secret,
                    createTime: .now
                )
                do {
                    try await records.insert(credential, audit: .test)
                    return true
                } catch let error as HubError where error.code == .alreadyExists {
                    return false
                }
            }
            #expect(inserted.count(where: { $0 }) == 1)
            let credential = try #require(try await records.credential(secretHash: secret))
            #expect(try await records.credential(id: credential.id) == credential)
            #expect(try await records.credentials(of: .project("my-plants")) == [credential])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aRevocationIsPermanent(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let credential = Credential(
                id: "key",
                project: "my-plants",
                kind: .serviceAccount,
                role: .editor,
                name: "sdk",
                publicKey: "PEM",
                createTime: .now
            )
            try await records.insert(credential, audit: .test)
            let time = Timestamp(milliseconds: 1_800_000_000_000)
            #expect(try await !records.revoke(credential: "key", of: .project("other"), at: time, audit: .test))
            #expect(try await records.revoke(credential: "key", of: .project("my-plants"), at: time, audit: .test))
            let later = time.advanced(by: .seconds(60))
            #expect(try await records.revoke(credential: "key", of: .project("my-plants"), at: later, audit: .test))
            #expect(try await records.credential(id: "key")?.revokeTime == time)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func theSigningKeyIsMadeOnce(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let keys = try await eightAtOnce { _ in try await stores.records.signingKey() }
            #expect(Set(keys).count == 1)
            #expect(keys.first?.count == 32)
        }
    }

    /// A publisher fills neither the disk with changes, nor pushes an owner's acts out of the log.
    @Test(arguments: StoreBackend.allCases)
    func theAuditLogOfASmallProjectStaysSmall(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            var project = try await stores.project()
            project.quota = 1
            let number = 2 * 256 + 20
            for index in 0..<number {
                var entry = AuditEntry.test
                entry.project = project.id
                entry.action = index == 0 ? "key.create" : "model.update"
                entry.detail = "\(index)"
                try await stores.records.update(project, audit: entry)
            }
            let log = try await stores.records.auditLog(of: project.id, limit: number)
            #expect(log.count < 300)
            #expect(log.first?.detail == "\(number - 1)" && log.last?.action == "key.create")
            #expect(log.filter { $0.action == "model.update" }.count >= 250)
            // The log says what the hub removed, so it has no other gap.
            let removals = try await stores.records.auditChain(of: project.id, after: 0, limit: 1000)
                .compactMap { AuditRemoval($0) }
            #expect(removals.last.map { $0.group == .changes && $0.count > 200 && $0.count < $0.last } == true)
            #expect(try await stores.records.auditProblems() == [])
            // The key's entry is older than what the hub removed, but of another group.
            try await stores.records.database.write { db in
                _ = try db.change("DELETE FROM audit WHERE action = 'key.create'")
            }
            let problems = try await stores.records.auditProblems()
            #expect(problems.count == 1 && problems.first?.contains("are missing, of which the hub removed") == true)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func theAuditLogIsNewestFirst(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            var project = try await stores.project()
            for quota in 1...5 {
                project.quota = quota
                var entry = AuditEntry.test
                entry.detail = "\(quota)"
                try await stores.records.update(project, audit: entry)
            }
            let log = try await stores.records.auditLog(of: "my-plants", limit: 3)
            #expect(log.map(\.detail) == ["5", "4", "3"])
            #expect(try await stores.records.auditLog(of: "other", limit: 3).isEmpty)
        }
    }

    /// Changes at the same time follow each other in the chain of hashes, whose numbers have no holes.
    @Test(arguments: StoreBackend.allCases)
    func eachChangeHasTheHashOfTheOneBefore(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let project = try await stores.project()
            try await withThrowingTaskGroup { group in
                for quota in 1...40 {
                    group.addTask {
                        var changed = project
                        changed.quota = quota
                        var entry = AuditEntry.test
                        entry.project = project.id
                        entry.detail = "\(quota): “1:a,”\n"
                        try await stores.records.update(changed, audit: entry)
                    }
                }
                try await group.waitForAll()
            }
            let chain = try await stores.records.auditChain(of: project.id, after: 0, limit: 1000)
            #expect(chain.count >= 40 && chain.map(\.number) == Array(1...chain.count))
            #expect(chain.allSatisfy { $0.hash == $0.contentHash } && Set(chain.map(\.hash)).count == chain.count)
            #expect(chain.first?.previous == AuditLogResource.Entry.noHash)
            #expect(zip(chain, chain.dropFirst()).allSatisfy { $1.previous == $0.hash })
            let rest = try await stores.records.auditChain(of: project.id, after: 38, limit: 2)
            #expect(rest.map(\.number) == [39, 40])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aStoreChecksItself(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            try await stores.records.check()
            #expect(try await stores.records.integrityProblems() == [])
        }
    }
}
