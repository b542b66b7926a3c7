import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SightlineTestSupport
import Testing

@testable import HTTPServing
@testable import ModelHubServer

/// The fields that all answers have, and the ways to reach the hub.
@Suite(.hangLimit)
struct AnswerTests {
    @Test func noBrowserGuessesTheTypeOfAnAnswer() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let info = try await client.send(.get, "\(TestClient.models)/plants:download?key=\(key)")
                for target in [
                    "/healthz", "/nothing", "/console/sign-in", "/storage/v1/b/my-plants.appspot.com/o/plants.tflite",
                    "/storage/v1/b/my-plants.appspot.com/o/plants.tflite?alt=media",
                    try requestTarget(info.text("downloadUri")),
                ] {
                    let reply = try await client.send(.get, target)
                    #expect(reply.headers[values: .xContentTypeOptions] == ["nosniff"], "\(target)")
                }
            }
        }
    }

    @Test func aClientThatAsksTooOftenIsToldHowLongToWait() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = 0.01
            try await test.serve(options) { client in
                var reply = try await client.send(.get, "/healthz")
                for _ in 0..<20 where reply.status == 200 { reply = try await client.send(.get, "/healthz") }
                #expect(reply.status == 429)
                let wait = try #require(reply.headers[.retryAfter].flatMap { Int($0) })
                // One request in a hundred seconds.
                #expect((2...100).contains(wait))
                #expect(reply.message.contains("wait \(wait) s"))
            }
        }
    }

    @Test func overTLSBrowsersAreToldToStayThere() async throws {
        try await TestHub.with { test in
            let certificate = try TestCertificate(in: test.folder)
            var options = HTTPService.Options.patient
            options.tls = .init(certificates: certificate.certificate, key: certificate.key)
            let server = HubServer(test.hub, options: options, logger: HubServer.makeLogger(level: .critical))
            #expect(try options.tls?.configuration.minimumTLSVersion == .tlsv12)
            // Without the network, and so without TLS itself.
            try await server.makeApplication().test(.router) { client in
                let reply = try await client.execute(uri: "/healthz", method: .get)
                #expect(reply.headers[.strictTransportSecurity]?.hasPrefix("max-age=") == true)
            }
            try await test.serve { client in
                let reply = try await client.send(.get, "/healthz")
                #expect(reply.headers[.strictTransportSecurity] == nil)
            }
        }
    }

    @Test func theMetricsCanAskForAToken() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.metricsToken = Secret("0123456789abcdef")
            let admin = test.admin
            try await test.serve(options) { client in
                #expect(try await client.send(.get, "/metrics", token: .some(nil)).status == 401)
                #expect(try await client.send(.get, "/metrics", token: admin).status == 401)
                let reply = try await client.send(.get, "/metrics", token: "0123456789abcdef")
                #expect(reply.status == 200)
                #expect(String(decoding: reply.body, as: UTF8.self).contains("hub_requests_total"))
            }
        }
    }

    @Test func eachMetricIsExplained() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                let text = try await client.send(.get, "/metrics", token: .some(nil)).text
                let lines = text.split(separator: "\n")
                let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
                let helps = lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
                #expect(types.count > 3 && types == helps)
            }
        }
    }

    /// A proxy that names its client, trusted or not, speaks for another machine.
    @Test(arguments: [true, false]) func withoutATokenOnlyThisMachineReadsTheMetrics(trustsProxy: Bool) async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.trustsProxy = trustsProxy
            try await test.serve(options) { client in
                #expect(try await client.send(.get, "/metrics", token: .some(nil)).status == 200)
                let headers: HTTPFields = [.forwardedFor: "203.0.113.7"]
                let reply = try await client.send(.get, "/metrics", headers: headers, token: .some(nil))
                #expect(reply.status == 403)
                #expect(String(decoding: reply.body, as: UTF8.self).contains("--metrics-token-file"))
            }
        }
    }

    @Test func aTokenOfTheMetricsThatCannotBeReadEndsTheCommand() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "token")
            try Data("short\n".utf8).write(to: file)
            for path in [file.path, folder.appending(path: "missing").path] {
                let result = try await HubProgram.run([
                    "serve", "--data", folder.appending(path: "hub").path, "--port", "0", "--metrics-token-file", path,
                ])
                #expect(result.status == 2)
                #expect(result.errors.contains("openssl rand -hex 32"))
            }
        }
    }

    /// A client that left and a hub that stops are not failures of the hub.
    @Test func anInterruptedRequestIsNotLoggedAsAFailure() {
        let recorder = LogRecorder()
        for error in [
            CancellationError(), ChannelError.inputClosed, ChannelError.ioOnClosedChannel,
            IOError(errnoCode: ECONNRESET, reason: "read"), IOError(errnoCode: EPIPE, reason: "write"),
        ] as [any Error] {
            let answer = HubError.answer(to: error, recorder.logger, FailureLog())
            #expect(answer.httpStatus == 503 && answer.retryAfter != nil, "\(error)")
        }
        #expect(!recorder.lines.contains { $0.hasPrefix("failed") }, "\(recorder.lines)")
        let answer = HubError.answer(to: IOError(errnoCode: EIO, reason: "read"), recorder.logger, FailureLog())
        #expect(answer.httpStatus == 500 && recorder.lines.contains { $0.hasPrefix("failed") })
    }

    /// A hub that restarts often cleans up, too.
    @Test func aHubCleansUpWhenItStarts() async throws {
        try await HubProgram.withProject { folder, _ in
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            try await server.process.waitForErrors { $0.contains(#""message":"cleaned up""#) }
            _ = try await server.stop()
        }
    }

    @Test func aBrokenTemplateIsAnErrorAndNoEmptyPage() throws {
        let error = #expect(throws: HubError.self) {
            try ConsoleTemplates.makeLibrary(["whole": Array("{{a}}".utf8), "broken": Array("{{#a}}".utf8)])
        }
        #expect(error?.message.contains("broken") == true)
        try ConsoleTemplates.check()
        #expect(Response.page("no-such-page", ConsoleChrome(title: "", visit: nil), 1).status == .internalServerError)
    }
}
