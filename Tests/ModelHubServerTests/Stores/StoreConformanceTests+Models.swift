import Foundation
import ModelHubProtocol
import Testing

@testable import ModelHubServer

/// Models, their versions, lists and downloads.
extension StoreConformanceTests {
    @Test(arguments: StoreBackend.allCases)
    func aNameBelongsToOneModel(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project()
            let made = try await eightAtOnce { _ in
                do {
                    return try await stores.records.insert(.test("plants"), version: nil, audit: .test).id as Int64?
                } catch let error as HubError where error.code == .alreadyExists {
                    return nil
                }
            }
            let id = try #require(made.compactMap { $0 }.first)
            #expect(made.count(where: { $0 != nil }) == 1)
            // At least eight digits, as in Firebase.
            #expect(id > 9_999_999)
            let other = try await stores.records.insert(.test("birds"), version: nil, audit: .test)
            var renamed = other
            (renamed.displayName, renamed.etag) = ("plants", "new")
            let error = await #expect(throws: HubError.self) {
                _ = try await stores.records.update(renamed, replacing: other.etag, version: nil, audit: .test)
            }
            #expect(error?.code == .alreadyExists)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aModelIsWhatWasWritten(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let object = try await stores.storedObject("x")
            var version = ModelVersion.test(1, object)
            (version.actor, version.confidenceThreshold) = ("token 1 (ada)", 0.25)
            var model = ModelRecord.test("plants")
            model.tags = ["b", "a"]
            model.isPublished = true
            model.source = .object(uri: object.uri)
            model.file = .init(
                version: 1,
                hash: object.hash,
                byteCount: 100,
                warning: "slow",
                confidenceThreshold: 0.25
            )
            model.aliases = [.staging: 1, "beta": 1]
            model = try await records.insert(model, version: version, audit: .test)
            #expect(try await records.model(model.id, of: "my-plants") == model)
            #expect(try await records.model(named: "plants", of: "my-plants") == model)
            #expect(try await records.model(model.id, of: "other") == nil)
            #expect(try await records.versions(of: model.id) == [version])
            let old = model
            model.source = .autoML(name: "auto")
            model.validationError = .init(code: 3, message: "invalid")
            (model.file, model.aliases, model.etag) = (nil, [:], "2")
            #expect(try await records.update(model, replacing: old.etag, version: nil, audit: .test))
            #expect(try await records.model(model.id, of: "my-plants") == model)
            #expect(try await !records.update(old, replacing: old.etag, version: nil, audit: .test))
            // Of a known version, only the threshold changes.
            var changed = version
            (changed.confidenceThreshold, changed.inspection, changed.actor) = (nil, "other", "other")
            let etag = model.etag
            model.etag = "3"
            #expect(try await records.update(model, replacing: etag, version: changed, audit: .test))
            version.confidenceThreshold = nil
            #expect(try await records.versions(of: model.id) == [version])
        }
    }

    /// Eight writers change a model ten times each, and every change counts.
    @Test(arguments: StoreBackend.allCases)
    func noChangeOfAModelIsLost(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let model = try await records.insert(.test("plants"), version: nil, audit: .test)
            _ = try await eightAtOnce { number in
                for round in 0..<10 {
                    while true {
                        let old = try #require(try await records.model(model.id, of: "my-plants"))
                        var new = old
                        new.tags.append("\(number)-\(round)")
                        new.etag = UUID().uuidString
                        if try await records.update(new, replacing: old.etag, version: nil, audit: .test) { break }
                    }
                }
            }
            let tags = try #require(try await records.model(model.id, of: "my-plants")).tags
            #expect(Set(tags).count == 80)
            #expect(tags.count == 80)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func versionsArePagedAndLoseOldInspections(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            var model = try await records.insert(.test("plants"), version: nil, audit: .test)
            for number in 1...22 {
                let object = try await stores.storedObject("\(number)")
                let old = model.etag
                model.etag = "\(number)"
                #expect(try await records.update(model, replacing: old, version: .test(number, object), audit: .test))
            }
            #expect(try await records.versions(of: model.id).map(\.number) == Array(1...22))
            #expect(try await records.versions(of: model.id, before: nil, limit: 2).map(\.number) == [22, 21])
            #expect(try await records.versions(of: model.id, before: 21, limit: 2).map(\.number) == [20, 19])
            #expect(try await records.version(2, of: model.id)?.inspection == "null")
            #expect(try await records.version(3, of: model.id)?.inspection == "{}")
            #expect(try await records.version(23, of: model.id) == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func versionsThatClientsCanAskForKeepTheirInspections(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            var model = try await records.insert(.test("plants"), version: nil, audit: .test)
            for number in 1...25 {
                let object = try await stores.storedObject("\(number)")
                let old = model.etag
                model.etag = "\(number)"
                if number == 1 {
                    model.file = ModelRecord.File(version: 1, hash: object.hash, byteCount: object.byteCount)
                }
                model.aliases = number > 2 ? [.staging: 2, "beta": 3] : [:]
                #expect(try await records.update(model, replacing: old, version: .test(number, object), audit: .test))
            }
            let versions = try await records.versions(of: model.id)
            #expect(versions.filter { $0.inspection == "null" }.map(\.number) == [4, 5])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aDownloadIsFoundByKeyAndName(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            let key = Credential(
                id: "key",
                project: "my-plants",
                kind: .apiKey,
                role: .viewer,
                name: "app",
                secretHash: [1, 2, 3],
                createTime: .now
            )
            try await records.insert(key, audit: .test)
            let object = try await stores.storedObject("x")
            var model = ModelRecord.test("plants")
            model.file = .init(version: 1, hash: object.hash, byteCount: 100, confidenceThreshold: 0.5)
            var version = ModelVersion.test(1, object)
            version.confidenceThreshold = 0.5
            model = try await records.insert(model, version: version, audit: .test)
            func look(_ alias: ModelAlias = .production) async throws -> DownloadLookup? {
                try await records.download(apiKeyHash: [1, 2, 3], modelNamed: "plants", alias: alias)
            }
            var found = DownloadLookup(
                project: "my-plants",
                projectNumber: project.number,
                requiresInstallation: false,
                key: CredentialState(id: "key", expiry: nil, useTime: nil)
            )
            #expect(try await look() == found)
            #expect(try await look(.staging) == found)
            var published = model
            (published.isPublished, published.etag) = (true, "2")
            #expect(try await records.update(published, replacing: model.etag, version: nil, audit: .test))
            found.model = ServedModel(
                id: model.id,
                displayName: "plants",
                hash: object.hash,
                byteCount: 100,
                confidenceThreshold: 0.5
            )
            #expect(try await look() == found)
            // Nothing is staged.
            #expect(try await look(.staging) == found)
            #expect(try await look("beta")?.model == nil)

            let next = try await stores.storedObject("y")
            var staged = ModelVersion.test(2, next)
            staged.confidenceThreshold = 0.75
            var named = published
            (named.aliases, named.etag) = ([.staging: 2, "beta": 1], "3")
            #expect(try await records.update(named, replacing: published.etag, version: staged, audit: .test))
            #expect(try await look() == found)
            #expect(try await look("beta")?.model?.hash == object.hash)
            #expect(try await look("beta")?.model?.confidenceThreshold == 0.5)
            found.model?.hash = next.hash
            found.model?.confidenceThreshold = 0.75
            #expect(try await look(.staging) == found)
            #expect(try await records.configuration(apiKeyHash: [1, 2, 3])?.project == project)
            #expect(try await records.revoke(credential: "key", of: .project("my-plants"), at: .now, audit: .test))
            #expect(try await look() == nil)
            #expect(try await look(.staging) == nil)
            #expect(try await records.configuration(apiKeyHash: [1, 2, 3]) == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func noDownloadIsLost(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let (first, second) = (try await stores.storedObject("x"), try await stores.storedObject("y"))
            let old = try await records.insert(.test("plants"), version: .test(1, first), audit: .test)
            // The third version has the bytes of the first.
            var model = old
            for (number, object) in [(2, second), (3, first)] {
                let etag = model.etag
                model.etag = "\(number)"
                #expect(try await records.update(model, replacing: etag, version: .test(number, object), audit: .test))
            }
            let id = model.id
            _ = try await eightAtOnce { _ in
                // The second model does not exist.
                for _ in 0..<10 {
                    try await records.addDownloads(
                        [id: [first.hash: 2, second.hash: 1], 5: [first.hash: 1]],
                        at: Timestamp(milliseconds: 20_000 * 86_400_000)
                    )
                }
            }
            #expect(try await records.downloads(of: id) == 240)
            #expect(try await records.versionDownloads(of: id) == [2: 80, 3: 160])
            #expect(try await records.downloads(of: 5) == 0)
            #expect(try await records.versionDownloads(of: 5) == [:])
            var day = ModelDay(day: 20_000)
            day.downloads = 240
            #expect(try await records.days(of: id, from: 20_000) == [day])
            #expect(try await records.days(of: id, from: 20_001) == [])
            try await records.forgetDays(before: 20_001)
            #expect(try await records.days(of: id, from: 0) == [])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func modelsAreListedByFilter(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            for (name, tags) in [("a_b", ["x_1"]), ("aXb", ["x11", "X_1"]), ("ab", [])] {
                var model = ModelRecord.test(name)
                (model.tags, model.isPublished) = (tags, name == "ab")
                _ = try await records.insert(model, version: nil, audit: .test)
            }
            func names(_ filter: ModelFilter?) async throws -> [String] {
                try await records.models(of: "my-plants", where: filter, after: 0, limit: 10).map(\.displayName)
            }
            #expect(try await names(nil) == ["a_b", "aXb", "ab"])
            #expect(try await names(.name("a_b")) == ["a_b"])
            #expect(try await names(.namePrefix("a_")) == ["a_b"])
            #expect(try await names(.tag("x_1")) == ["a_b"])
            #expect(try await names(.not(.tag("x_1"))) == ["aXb", "ab"])
            #expect(try await names(.published(true)) == ["ab"])
            #expect(try await names(.not(.any([.tag("X_1"), .published(true)]))) == ["a_b"])
            let first = try await records.models(of: "my-plants", where: nil, after: 0, limit: 1)
            let last = try #require(first.last?.id)
            let rest = try await records.models(of: "my-plants", where: nil, after: last, limit: 5)
            #expect(rest.map(\.displayName) == ["aXb", "ab"])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aPageOfModelsIsSearchedAndOrdered(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            for (index, name) in ["beta", "Alpha", "a_pha", "gamma"].enumerated() {
                var model = ModelRecord.test(name)
                model.tags = name == "gamma" ? ["ALP"] : []
                model.updateTime = Timestamp(milliseconds: Int64(index))
                let id = try await records.insert(model, version: nil, audit: .test).id
                let hash = try #require(BlobHash(String(repeating: "0", count: 64)))
                try await records.addDownloads([id: [hash: index % 2 + 1]], at: .now)
            }
            func names(_ change: (inout ModelListQuery) -> Void) async throws -> [String] {
                var query = ModelListQuery()
                change(&query)
                return try await records.modelListing(of: "my-plants", query).entries.map(\.model.displayName)
            }
            #expect(try await names { _ in } == ["a_pha", "Alpha", "beta", "gamma"])
            #expect(try await names { $0.order = .updated } == ["gamma", "a_pha", "Alpha", "beta"])
            #expect(try await names { $0.order = .downloads } == ["Alpha", "gamma", "a_pha", "beta"])
            #expect(try await names { $0.text = "alp" } == ["Alpha", "gamma"])
            #expect(try await names { $0.text = "A_P" } == ["a_pha"])
            #expect(try await names { $0.text = "%" } == [])
            #expect(try await names { ($0.offset, $0.limit) = (1, 2) } == ["Alpha", "beta"])
            #expect(try await names { $0.state = .published } == [])
            var query = ModelListQuery()
            query.text = "alp"
            let page = try await records.modelListing(of: "my-plants", query)
            #expect(page.matchCount == 2 && page.totalCount == 4)
            #expect(page.entries.map(\.downloadCount) == [2, 2])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anObjectIsReplacedAndDeleted(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            #expect(try await !records.hasObjects(in: "bucket", of: "my-plants"))
            _ = try await stores.storedObject("x")
            var object = StorageObject.test("x")
            object.contentType = "image/png"
            _ = try await records.claim(StoredBlob(hash: object.hash, byteCount: 100), at: .now)
            try await records.put(object, upload: "upload-1", audit: .test)
            #expect(try await records.object("x", in: "bucket", of: "my-plants") == object)
            #expect(try await records.object(ofUpload: "upload-1", of: "my-plants") == object)
            #expect(try await records.object(ofUpload: "upload-1", of: "other") == nil)
            #expect(try await records.hasObjects(in: "bucket", of: "my-plants"))
            func delete() async throws -> Bool {
                try await records.deleteObject("x", in: "bucket", of: "my-plants", at: .now, audit: .test)
            }
            #expect(try await delete())
            #expect(try await !delete())
            #expect(try await records.object("x", in: "bucket", of: "my-plants") == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func oldObjectsThatNoModelUsesAreDropped(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            _ = try await stores.storedObject("unused")
            let used = try await stores.storedObject("used")
            _ = try await records.insert(.test("plants"), version: .test(1, used), audit: .test)
            let past = Timestamp.now.advanced(by: .seconds(-3600))
            #expect(try await records.dropUnusedObjects(before: past, now: .now) == 0)
            let future = Timestamp.now.advanced(by: .seconds(3600))
            #expect(try await records.dropUnusedObjects(before: future, now: .now) == 1)
            #expect(try await records.object("unused", in: "bucket", of: "my-plants") == nil)
            #expect(try await records.object("used", in: "bucket", of: "my-plants") == used)
        }
    }
}

extension ModelRecord {
    static func test(_ name: String) -> ModelRecord {
        let time = Timestamp(milliseconds: 1_800_000_000_000)
        return ModelRecord(project: "my-plants", displayName: name, createTime: time, updateTime: time, etag: "1")
    }
}

extension ModelVersion {
    static func test(_ number: Int, _ object: StorageObject) -> ModelVersion {
        ModelVersion(
            number: number,
            hash: object.hash,
            byteCount: object.byteCount,
            createTime: Timestamp(milliseconds: 1_800_000_000_000),
            source: object.uri,
            inspection: "{}"
        )
    }
}
