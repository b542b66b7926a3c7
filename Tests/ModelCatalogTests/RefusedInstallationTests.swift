import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

/// Files that are not installed.
@Suite(.hangLimit) struct RefusedInstallationTests: InstallationTesting {
    let sample: SampleModel

    init() throws { sample = try SampleModel() }

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
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
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
    func aWebPageIsRecognized(type: String) throws {
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
        let server = try LoopbackServer { [model = sample.data] _ in
            Response(headers: ["Content-Type": "text/html"], body: model)
        }
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
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
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
}
