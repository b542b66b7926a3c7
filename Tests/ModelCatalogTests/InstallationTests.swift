import Crypto
import Foundation
import TestSupport
import Testing

@testable import ModelCatalog

/// Models on their way into a store, from a server on this machine and from folders.
@Suite(.timeLimit(.minutes(2))) struct InstallationTests {
    private let model: Data
    private let hash: String

    init() throws {
        model = try Data(contentsOf: TestData.fixture("models/ssd_metadata.tflite"))
        hash = SHA256.hash(data: model).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func withStore(_ body: (ModelStore) throws -> Void) throws {
        try withTemporaryFolder { try body(ModelStore(folder: $0.appending(path: "data/models"))) }
    }

    private func installation(_ server: LoopbackServer, verified: Bool = true) -> Installation {
        var installation = Installation(
            name: "boxes",
            source: .file(server.address + "/m.tflite"),
            sha256: verified ? hash : nil
        )
        installation.acceptsUnverified = !verified
        return installation
    }

    /// What is in a store's folder beside its lock.
    private func content(_ store: ModelStore) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store.folder.path)) ?? []
        return names.filter { $0 != ".lock" }.sorted()
    }

    private func bytes(_ store: ModelStore) throws -> Data {
        try Data(contentsOf: try store.model(named: "boxes").model)
    }

    // MARK: - What works

    @Test func aVerifiedDownloadIsInstalled() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            var last = (received: 0, expected: Int?.none)
            let installed = try store.install(installation(server)) { last = ($0, $1) }
            #expect(try bytes(store) == model)
            #expect(installed.record?.sha256 == hash && installed.record?.isVerified == true)
            #expect(last.received == model.count && last.expected == model.count)
            #expect(content(store) == ["boxes"])
            #expect(store.installed() == [installed])
        }
    }

    @Test func whatIsThereAlreadyIsNotFetchedAgain() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            try store.install(installation(server))
            try store.install(installation(server))
            #expect(server.requests.count == 1)
            try Data("damaged".utf8).write(to: store.model(named: "boxes").model)
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test func anotherModelOfTheNameIsReplaced() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            let other = TestData.fixture("models/add.tflite").path
            var first = Installation(name: "boxes", source: .file(other))
            first.acceptsUnverified = true
            try store.install(first)
            try store.install(installation(server))
            #expect(try bytes(store) == model)
            #expect(content(store) == ["boxes"])
        }
    }

    @Test func redirectsAreFollowed() throws {
        let server = try LoopbackServer { [model] request in
            request.path == "/m.tflite" ? .redirect(to: "/elsewhere", status: 307) : .file(model, for: request)
        }
        try withStore { store in
            try store.install(installation(server))
            #expect(server.requests.map(\.path) == ["/m.tflite", "/elsewhere"])
        }
    }

    @Test func aMirrorIsAFolderOrItsAddress() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            var installation = installation(server)
            installation.source = .mirror(server.address + "/models")
            try store.install(installation)
            #expect(server.requests.map(\.path) == ["/models/boxes/model.tflite"])
            // A store is such a folder.
            try withStore { second in
                installation.source = .mirror(store.folder.path)
                let installed = try second.install(installation)
                #expect(installed.record?.isVerified == true)
                #expect(try bytes(second) == model)
            }
        }
    }

    @Test func anUnverifiedModelNeedsConsent() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            var installation = installation(server, verified: false)
            installation.acceptsUnverified = false
            #expect(throws: ModelCatalogError.unverified(name: "boxes")) { try store.install(installation) }
            #expect(server.requests.isEmpty)
            installation.acceptsUnverified = true
            let installed = try store.install(installation)
            #expect(installed.record?.isVerified == false && installed.record?.sha256 == hash)
        }
    }

    // MARK: - Downloads that break off

    @Test(arguments: [true, false])
    func aCutDownloadGoesOnWhereItBrokeOff(verified: Bool) throws {
        let server = try LoopbackServer { [model] request in
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
        let server = try LoopbackServer { [model] request in
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
        let server = try LoopbackServer { [model] request in
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

    @Test func anUnverifiedFileWithoutAVersionIsFetchedFromItsStart() throws {
        let server = try LoopbackServer { [model] request in .file(model, for: request, cutAfter: 3000) }
        try withStore { store in
            for _ in 0..<2 {
                #expect(throws: ModelCatalogError.self) { try store.install(installation(server, verified: false)) }
            }
            #expect(server.requests.map(\.rangeStart) == [nil, nil])
        }
    }

    @Test func aBeginningThatTurnsOutWrongIsThrownAwayAndFetchedAnew() throws {
        // Without an ETag only the hash can tell.
        let server = try LoopbackServer { [model] request in
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
        let server = try LoopbackServer { [model] request in
            Response(body: model, cutAfter: request.rangeStart == nil ? 3000 : nil)
        }
        try withStore { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test func aServerThatSendsAnotherPartIsRefused() throws {
        let server = try LoopbackServer { [model] request in
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

    // MARK: - What is refused

    @Test func aWrongHashInstallsNothing() throws {
        let other = try Data(contentsOf: TestData.fixture("models/add.tflite"))
        let server = try LoopbackServer { .file(other, for: $0) }
        try withStore { store in
            let error = #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            guard case .wrongHash(_, hash, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(content(store).isEmpty)
        }
    }

    @Test func aModelThatIsThereSurvivesAFailedReplacement() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            try store.install(installation(server))
            var wrong = installation(server)
            wrong.sha256 = String(repeating: "0", count: 64)
            #expect(throws: ModelCatalogError.self) { try store.install(wrong) }
            #expect(try bytes(store) == model)
        }
    }

    @Test func anEndlessRedirectionEnds() throws {
        let server = try LoopbackServer { .redirect(to: $0.path + "x") }
        try withStore { store in
            #expect(
                throws: ModelCatalogError.tooManyRedirects(address: server.address + "/m.tflite", limit: 5)
            ) { try store.install(installation(server)) }
            #expect(server.requests.count == 6)
            #expect(content(store).isEmpty)
        }
    }

    @Test(arguments: [
        "http://example.org/m", "ftp://127.0.0.1/m", "file:///etc/passwd", "http://127.0.0.1@example.org/",
    ])
    func aRedirectionToAnInsecurePlaceIsNotFollowed(target: String) throws {
        let server = try LoopbackServer { _ in .redirect(to: target) }
        try withStore { store in
            #expect(
                throws: ModelCatalogError.insecureRedirect(from: server.address + "/m.tflite", to: target)
            ) { try store.install(installation(server)) }
            #expect(content(store).isEmpty)
        }
    }

    @Test(arguments: ["text/html; charset=utf-8", "application/octet-stream"])
    func aWebPageIsRecognised(type: String) throws {
        let server = try LoopbackServer { _ in
            Response(headers: ["Content-Type": type], body: Data("\n<!DOCTYPE html><html>Sign in</html>".utf8))
        }
        try withStore { store in
            for verified in [true, false] {
                #expect(throws: ModelCatalogError.webPage(address: server.address + "/m.tflite")) {
                    try store.install(installation(server, verified: verified))
                }
            }
            #expect(content(store).isEmpty)
        }
    }

    @Test func aModelThatIsSentAsAWebPageIsStillAModel() throws {
        let server = try LoopbackServer { [model] _ in Response(headers: ["Content-Type": "text/html"], body: model) }
        try withStore { store in
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test(arguments: [404, 403, 500, 204])
    func aRefusalTellsItsStatus(status: Int) throws {
        let server = try LoopbackServer { _ in Response(status: status, body: Data("no".utf8)) }
        try withStore { store in
            #expect(throws: ModelCatalogError.refused(address: server.address + "/m.tflite", status: status)) {
                try store.install(installation(server))
            }
            #expect(content(store).isEmpty)
        }
    }

    @Test func whatIsNoModelIsNotInstalled() throws {
        let server = try LoopbackServer { .file(Data("PK archive".utf8), for: $0) }
        try withStore { store in
            let error = #expect(throws: ModelCatalogError.self) {
                try store.install(installation(server, verified: false))
            }
            guard case .notAModel = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(content(store).isEmpty)
        }
    }

    @Test func anotherLengthThanTheVerifiedOneIsNoticedBeforeTheDownload() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0) }
        try withStore { store in
            var installation = installation(server)
            installation.byteCount = model.count + 1
            #expect(
                throws: ModelCatalogError.wrongSize(
                    source: server.address + "/m.tflite",
                    expected: model.count + 1,
                    found: model.count
                )
            ) { try store.install(installation) }
            #expect(content(store).isEmpty)
        }
    }

    @Test func aServerThatIsNotThereIsNamed() throws {
        let address = try LoopbackServer { _ in Response() }.address + "/m.tflite"
        try withStore { store in
            let installation = Installation(name: "boxes", source: .file(address), sha256: hash)
            let error = #expect(throws: ModelCatalogError.self) { try store.install(installation) }
            guard case .unreachable(address, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(content(store).isEmpty)
        }
    }

    @Test(arguments: ["", "xyz", String(repeating: "g", count: 64), String(repeating: "0", count: 63)])
    func whatIsNoHashIsRefused(text: String) throws {
        try withStore { store in
            let installation = Installation(name: "boxes", source: .file("x"), sha256: text)
            #expect(throws: ModelCatalogError.invalidHash(text)) { try store.install(installation) }
        }
    }

    // MARK: - The folder

    @Test func aRemovedModelIsGone() throws {
        try withStore { store in
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            try store.install(Installation(name: "boxes", source: .file(fixture), sha256: hash))
            try store.remove("boxes")
            #expect(content(store).isEmpty)
            #expect(throws: ModelCatalogError.notInstalled(name: "boxes", installed: [])) { try store.remove("boxes") }
        }
    }

    @Test func removingALinkLeavesWhatItPointsTo() throws {
        try withTemporaryFolder { folder in
            let treasure = folder.appending(path: "treasure")
            try FileManager.default.createDirectory(at: treasure, withIntermediateDirectories: true)
            try model.write(to: treasure.appending(path: "model.tflite"))
            let store = ModelStore(folder: folder.appending(path: "models"))
            try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: store.folder.appending(path: "boxes"),
                withDestinationURL: treasure
            )
            try store.remove("boxes")
            #expect(content(store).isEmpty)
            #expect(try Data(contentsOf: treasure.appending(path: "model.tflite")) == model)
        }
    }

    @Test func whatIsLeftOfACutDownloadCanBeRemoved() throws {
        let server = try LoopbackServer { [model] in .file(model, for: $0, cutAfter: 3000) }
        try withStore { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            #expect(content(store) == [".partial-boxes"])
            try store.remove("boxes")
            #expect(content(store).isEmpty)
        }
    }

    @Test func twoProcessesDoNotInstallAtOnce() throws {
        try withStore { store in
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            let installation = Installation(name: "boxes", source: .file(fixture), sha256: hash)
            let meanwhile = try store.withLock { () throws(ModelCatalogError) in
                Result { () throws(ModelCatalogError) in try store.install(installation) }
            }
            #expect(throws: ModelCatalogError.busy(path: store.folder.path)) { try meanwhile.get() }
            try store.install(installation)
        }
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            let installation = Installation(name: "boxes", source: .file(fixture), sha256: hash)
            for place in [file, file.appending(path: "models")] {
                let error = #expect(throws: ModelCatalogError.self) {
                    try ModelStore(folder: place).install(installation)
                }
                guard case .file = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs a device that is always full"))
    func aFullDiskIsToldFromAForbiddenOne() throws {
        let full = try OpenFile("/dev/full")
        #expect(throws: ModelCatalogError.diskFull(path: "/dev/full")) { try full.append(Data("x".utf8)) }
        #expect(ModelCatalogError.system(ENOSPC, path: "p") == .diskFull(path: "p"))
        for code in [EACCES, EPERM, EROFS] {
            #expect(ModelCatalogError.system(code, path: "p") == .permissionDenied(path: "p"))
        }
    }

    private typealias Response = LoopbackServer.Response
}
