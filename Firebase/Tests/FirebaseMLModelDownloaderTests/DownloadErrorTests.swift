import FirebaseCore
import FirebaseMLModelDownloader
import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

/// The errors for answers of a server, and for conditions that cannot be met.
@Suite(.hangLimit)
struct DownloadErrorTests {
    private func download(
        _ name: String = "plants",
        from server: String,
        _ check: (DownloadError?) -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await DefaultApp.with(DefaultApp.options(hub: server, folder: folder)) {
                var found: DownloadError?
                do {
                    _ = try await ModelDownloader.modelDownloader().getModel(
                        name: name,
                        downloadType: .latestModel,
                        conditions: ModelDownloadConditions()
                    )
                } catch { found = error as? DownloadError }
                check(found)
            }
        }
    }

    @Test(arguments: [
        (400, DownloadError.invalidArgument), (401, .permissionDenied), (403, .permissionDenied), (404, .notFound),
        (429, .resourceExhausted),
    ])
    func statusesOfTheHubAreErrors(_ status: Int, _ error: DownloadError) async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: status)
        } _: { server in
            try await download(from: server.address) { #expect($0 == error) }
        }
    }

    @Test(arguments: [(401, DownloadError.permissionDenied), (403, .permissionDenied), (404, .notFound)])
    func statusesOfTheFileAreErrors(_ status: Int, _ error: DownloadError) async throws {
        try await ScriptedServer.with { request, server in
            if !request.path.contains(":download") { return ScriptedServer.Reply(status: status) }
            let body =
                #"{"downloadUri":"\#(server.address)/file","expireTime":"2999-01-01T00:00:00.000Z","sizeBytes":"5"}"#
            return ScriptedServer.Reply(headers: [("ETag", String(repeating: "a", count: 64))], body: Data(body.utf8))
        } _: { server in
            try await download(from: server.address) { #expect($0 == error) }
        }
    }

    @Test func afileThatIsNotTheOneAnnouncedIsAnInternalError() async throws {
        try await ScriptedServer.with { request, server in
            if !request.path.contains(":download") { return ScriptedServer.Reply(body: Data("12345".utf8)) }
            let body =
                #"{"downloadUri":"\#(server.address)/file","expireTime":"2999-01-01T00:00:00.000Z","sizeBytes":"5"}"#
            return ScriptedServer.Reply(headers: [("ETag", String(repeating: "a", count: 64))], body: Data(body.utf8))
        } _: { server in
            try await download(from: server.address) { error in
                guard case .internalError(let description) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(description.contains("SHA-256"))
            }
        }
    }

    @Test func aHubOutOfReachIsAFailedPrecondition() async throws {
        try await download(from: "http://127.0.0.1:1") { #expect($0 == .failedPrecondition) }
    }

    @Test func namesThatCannotBeAreRefusedBeforeAnyRequest() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: 500)
        } _: { server in
            try await download("", from: server.address) { #expect($0 == .emptyModelName) }
            try await download("../etc", from: server.address) { #expect($0 == .invalidArgument) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func withoutAnAppEverythingFailsAndSaysWhy() async throws {
        try await DefaultApp.with(nil) {
            let downloader = ModelDownloader.modelDownloader()
            let conditions = ModelDownloadConditions()
            let error = await #expect(throws: DownloadError.self) {
                try await downloader.getModel(name: "plants", downloadType: .localModel, conditions: conditions)
            }
            #expect(error?.localizedDescription.contains("FirebaseApp.configure()") == true)
            await #expect(throws: DownloadedModelError.self) { try await downloader.listDownloadedModels() }
            await #expect(throws: DownloadedModelError.self) {
                try await downloader.deleteDownloadedModel(name: "plants")
            }
        }
    }

    @Test func everyErrorIsASentence() {
        let errors: [any Error] = [
            DownloadError.notFound, DownloadError.permissionDenied, DownloadError.failedPrecondition,
            DownloadError.resourceExhausted, DownloadError.notEnoughSpace, DownloadError.invalidArgument,
            DownloadError.emptyModelName, DownloadedModelError.notFound,
        ]
        for error in errors {
            #expect(error.localizedDescription == "\(error)" && "\(error)".hasSuffix("."))
        }
        #expect(DownloadError.internalError(description: "It broke.").localizedDescription == "It broke.")
    }
}
