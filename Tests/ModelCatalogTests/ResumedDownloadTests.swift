import Foundation
import ModelCatalog
import SightlineTestSupport
import Synchronization
import Testing

/// Downloads that break off, and what comes after.
@Suite(.hangLimit) struct ResumedDownloadTests: InstallationTesting {
    let sample: SampleModel

    init() throws { sample = try SampleModel() }

    @Test(arguments: [true, false])
    func aCutDownloadGoesOnWhereItBrokeOff(verified: Bool) throws {
        let server = try LoopbackServer { [model = sample.data] request in
            .file(model, for: request, version: "\"v1\"", cutAfter: request.rangeStart == nil ? 3000 : nil)
        }
        try withStore { store in
            let installation = installation(server, verified: verified)
            let error = #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            #expect(
                error
                    == .interrupted(
                        address: server.address + "/m.tflite",
                        received: 3000,
                        expected: model.count
                    )
            )
            #expect(store.installed().isEmpty)
            try store.install(installation)
            #expect(try bytes(store) == model)
            #expect(server.requests.map(\.rangeStart) == [nil, 3000])
            #expect(server.requests.last?.headers["if-range"] == "\"v1\"")
            #expect(content(store) == ["boxes"])
        }
    }

    @Test(arguments: [true, false])
    func aFileThatChangedMeanwhileIsFetchedFromItsStart(verified: Bool) throws {
        let other = try Data(contentsOf: TestData.fixture("models/add.tflite"))
        let server = try LoopbackServer { [model = sample.data] request in
            request.rangeStart == nil
                ? .file(other, for: request, version: "\"v1\"", cutAfter: 200)
                : .file(model, for: request, version: "\"v2\"")
        }
        try withStore { store in
            let installation = installation(server, verified: verified)
            #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            try store.install(installation)
            #expect(try bytes(store) == model)
            #expect(server.requests.map(\.rangeStart) == [nil, 200])
        }
    }

    @Test(arguments: [true, false])
    func theBeginningOfAnotherFileIsNotUsed(verified: Bool) throws {
        let server = try LoopbackServer { [model = sample.data] request in
            .file(model, for: request, version: "\"v1\"", cutAfter: request.path == "/m.tflite" ? 3000 : nil)
        }
        try withStore { store in
            var installation = installation(server, verified: verified)
            #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            installation.source = .file(server.address + "/other.tflite")
            try store.install(installation)
            #expect(server.requests.map(\.rangeStart) == [nil, nil])
        }
    }

    /// More often than a download is tried again, but each time with more bytes.
    @Test func aDownloadThatProgressesIsNotGivenUp() throws {
        let server = try LoopbackServer { [model = sample.data] request in
            .file(model, for: request, version: "\"v1\"", cutAfter: 1000)
        }
        try withStore(tries: 2) { store in
            try store.install(installation(server))
            #expect(try bytes(store) == model)
            #expect(server.requests.count > 3)
        }
    }

    @Test func anUnverifiedFileWithoutAVersionIsFetchedFromItsStart() throws {
        let server = try LoopbackServer { [model = sample.data] request in .file(model, for: request, cutAfter: 3000) }
        try withStore { store in
            for _ in 0..<2 {
                #expect(throws: ModelCatalogError.self) { try store.install(installation(server, verified: false)) }
            }
            #expect(server.requests.map(\.rangeStart) == [nil, nil])
        }
    }

    @Test func aBeginningThatTurnsOutWrongIsThrownAwayAndFetchedAnew() throws {
        // Without an ETag only the hash can show it.
        let server = try LoopbackServer { [model = sample.data] request in
            request.headers["range"] == nil && request.path == "/m.tflite?1"
                ? .file(Data(repeating: 7, count: model.count), for: request, cutAfter: 900)
                : .file(model, for: request)
        }
        try withStore { store in
            var installation = installation(server)
            installation.source = .file(server.address + "/m.tflite?1")
            #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            let error = #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            // The resumed file was wrong, and so was the beginning of the second try, which broke off again.
            guard case .interrupted(_, 900, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests.map(\.rangeStart) == [nil, 900, nil])
        }
    }

    @Test func aServerWithoutRangesSendsAllAgain() throws {
        let server = try LoopbackServer { [model = sample.data] request in
            Response(body: model, cutAfter: request.rangeStart == nil ? 3000 : nil)
        }
        try withStore { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test func aServerThatSendsAnotherPartIsRefused() throws {
        let server = try LoopbackServer { [model = sample.data] request in
            guard request.rangeStart != nil else { return .file(model, for: request, cutAfter: 3000) }
            return Response(status: 206, headers: ["Content-Range": "bytes 5-9/\(model.count)"], body: model[5...9])
        }
        try withStore { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            let error = #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: [true, false])
    func aCutDownloadGoesOnInTheSameCall(verified: Bool) throws {
        let server = try LoopbackServer { [model = sample.data] request in
            .file(model, for: request, version: "\"v1\"", cutAfter: request.rangeStart == nil ? 3000 : nil)
        }
        try withStore(tries: 2) { store in
            try store.install(installation(server, verified: verified))
            #expect(try bytes(store) == model)
            #expect(server.requests.map(\.rangeStart) == [nil, 3000])
        }
    }

    @Test func aServerThatFailsForAWhileIsAskedAgain() throws {
        let count = Mutex(0)
        let server = try LoopbackServer { [model = sample.data] request in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number < 3 ? Response(status: 503) : .file(model, for: request)
        }
        try withStore(tries: 3) { store in
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test func aServerThatSaysNoIsAskedOnce() throws {
        let server = try LoopbackServer { _ in Response(status: 404) }
        try withStore(tries: 3) { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            #expect(server.requests.count == 1)
        }
    }

    @Test func aBeginningBeyondWhichTheServerHasNothingIsFetchedAnew() throws {
        let other = Data(repeating: 7, count: model.count + 1)
        let server = try LoopbackServer { [model = sample.data] request in
            .file(model, for: request, version: "\"v1\"")
        }
        try withStore { store in
            let staging = store.folder.appending(path: ".partial-boxes")
            try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
            try other.write(to: staging.appending(path: "model.tflite"))
            let origin = #"{"address":"\#(server.address)/m.tflite","version":"\"v1\""}"#
            try Data(origin.utf8).write(to: staging.appending(path: "model.tflite.origin"))
            try store.install(installation(server))
            #expect(try bytes(store) == model)
            #expect(server.requests.map(\.rangeStart) == [other.count, nil])
        }
    }
}
