import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import SightlineTestSupport
import Testing

@testable import ModelHubServer

extension TestClient {
    /// Waits for live updates with the request of an SDK, and calls `body` with their lines, without signs of life.
    func liveUpdates(
        _ target: String,
        headers: HTTPFields,
        body: Data,
        _ check: (HTTPClientResponse, _ next: () async throws -> String?) async throws -> Void
    ) async throws {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(client.port))\(target)")
        request.method = .POST
        for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
        request.body = .bytes(body)
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(6))
        var pieces = response.body.makeAsyncIterator()
        try await check(response) {
            while let piece = try await pieces.next() {
                let line = String(buffer: piece)
                if line != "\n" { return line }
            }
            return nil
        }
    }
}

/// Live updates as the SDKs of Android, Apple and the web ask for them.
@Suite(.hangLimit)
struct LiveUpdateTests {
    private static let fid = "cNhkfwNGTdKmDmVVEs3Qz9"
    private static let path = "/v1/projects/\(TestHub.project)/namespaces/firebase:streamFetchInvalidations"

    private static func publish(_ value: String, on test: TestHub) async throws {
        let json = #"{"parameters":{"a":{"defaultValue":{"value":"\#(value)"}}}}"#
        _ = try await test.hub.publishConfig(json, replacing: "*", by: .local(try await test.hub.testProject()))
    }

    /// `ConfigRealtimeHttpClient.java`, `RCNConfigRealtime.m` (gzip, and text that is nearly JSON) and `realtime_handler.ts`.
    private static func request(_ sdk: String, known: Int, key: String) throws -> (HTTPFields, Data) {
        switch sdk {
        case "Android":
            let body =
                #"{"project":"my-plants","namespace":"firebase","lastKnownVersionNumber":"\#(known)","appId":"1:1:android:ab","#
            let rest = #""sdkVersion":"23.0.1","appInstanceId":"\#(fid)"}"#
            return (
                [
                    .installationsAuth: "token", .apiKey: key, .androidPackage: "org.example.plants", .canRetry: "yes",
                    .acceptStreaming: "true", .contentType: "application/json", .accept: "application/json",
                ], Data((body + rest).utf8)
            )
        case "Apple":
            let body = """
                {project:'my-plants', namespace:'firebase', lastKnownVersionNumber:'\(known)', appId:'1:1:ios:ab', \
                sdkVersion:'12.19.0', appInstanceId:'\(fid)'}
                """
            return (
                [
                    .contentType: "application/json", .accept: "application/json", .contentEncoding: "gzip",
                    .canRetry: "true", .apiKey: key, .bundleIdentifier: "org.example.Plants",
                    .installationsAuth: "token", .ifNoneMatch: "etag-my-plants-firebase-fetch-ab",
                ], try gzip(Data(body.utf8))
            )
        default:
            let body =
                #"{"project":"my-plants","namespace":"firebase","lastKnownVersionNumber":\#(known),"appId":"1:1:web:ab","#
            let rest = #""sdkVersion":"12.0.0","appInstanceId":"\#(fid)"}"#
            // This SDK says gzip and sends plain text.
            return (
                [
                    .apiKey: key, .installationsAuth: "token", .contentType: "application/json",
                    .accept: "application/json", .ifNoneMatch: "*", .contentEncoding: "gzip",
                    .origin: "https://plants.example.org",
                ], Data((body + rest).utf8)
            )
        }
    }

    @Test(arguments: ["Android", "Apple", "web"]) func aNewTemplateReachesAWaitingApp(sdk: String) async throws {
        try await TestHub.with { test in
            try await Self.publish("1", on: test)
            try await test.serve { client in
                let (headers, body) = try Self.request(sdk, known: 1, key: test.apiKey)
                try await client.liveUpdates(Self.path, headers: headers, body: body) { response, next in
                    #expect(response.status == .ok)
                    #expect(response.headers.first(name: "content-type")?.hasPrefix("application/json") == true)
                    if sdk == "web" { #expect(response.headers.first(name: "access-control-allow-origin") == "*") }
                    try await Self.publish("2", on: test)
                    #expect(try await next() == "{\"latestTemplateVersionNumber\":\"2\"}\n")
                    try await Self.publish("3", on: test)
                    #expect(try await next() == "{\"latestTemplateVersionNumber\":\"3\"}\n")
                }
            }
        }
    }

    @Test func anAppThatIsBehindHearsOfItAtOnce() async throws {
        try await TestHub.with { test in
            try await Self.publish("1", on: test)
            try await test.serve { client in
                let (headers, body) = try Self.request("Android", known: 0, key: test.apiKey)
                try await client.liveUpdates(Self.path, headers: headers, body: body) { _, next in
                    let line = try await next()
                    #expect(line == "{\"latestTemplateVersionNumber\":\"1\"}\n")
                }
            }
        }
    }

    @Test func aHubThatStopsSaysWhenToComeBack() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let (headers, body) = try Self.request("web", known: 0, key: test.apiKey)
                try await client.liveUpdates(Self.path, headers: headers, body: body) { _, next in
                    await test.hub.templateWatch.end()
                    let line = try await next()
                    #expect(line == "{\"retryIntervalSeconds\":\"5\"}\n")
                    let end = try await next()
                    #expect(end == nil)
                }
                let reply = try await client.send(.post, Self.path, headers: headers, body: body, token: .some(nil))
                #expect(reply.status == 503)
                #expect(reply.headers[.retryAfter] != nil)
            }
        }
    }

    @Test func anAppThatGoesIsForgotten() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let (headers, body) = try Self.request("web", known: 0, key: test.apiKey)
                try await client.liveUpdates(Self.path, headers: headers, body: body) { _, _ in
                    try await wait(while: { await test.hub.templateWatch.count == 0 })
                }
                try await wait(while: { await test.hub.templateWatch.count > 0 })
            }
        }
    }

    @Test func noMoreAppsThanAllowedWait() async throws {
        let watch = TemplateWatch { _ in [:] }
        let first = try await watch.versions(of: "a", atMost: 1)
        await #expect(throws: TemplateWatch.Full.self) { try await watch.versions(of: "b", atMost: 1) }
        withExtendedLifetime(first) {}
    }

    /// A client with the key of an app keeps no app of another project out.
    @Test func theProjectWithTheMostAppsGivesAPlaceToAnother() async throws {
        let watch = TemplateWatch { _ in [:] }
        var apps: [TemplateWatch.Updates] = []
        for _ in 1...4 { apps.append(try await watch.versions(of: "greedy", atMost: 4)) }
        await #expect(throws: TemplateWatch.Full.self) { try await watch.versions(of: "greedy", atMost: 4) }
        for _ in 1...2 { apps.append(try await watch.versions(of: "modest", atMost: 4)) }
        // Both have as many now.
        for project in ["greedy", "modest"] {
            await #expect(throws: TemplateWatch.Full.self) { try await watch.versions(of: project, atMost: 4) }
        }
        #expect(await watch.count == 4)
        apps.append(try await watch.versions(of: "third", atMost: 4))
        #expect(await watch.count == 4)
        // The streams of the apps that gave up their places end.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for app in apps { group.addTask { for await _ in app.versions {} } }
            for _ in 1...3 { try await group.next() }
            #expect(await watch.count == 4)
            await watch.end()
        }
    }

    @Test func anAppWhoseConnectionClosesGivesUpItsPlaceAtOnce() async throws {
        let watch = TemplateWatch { _ in [:] }
        let app = try await watch.versions(of: "a", atMost: 1)
        app.end()
        try await wait(while: { await watch.count > 0 })
        _ = try await watch.versions(of: "b", atMost: 1)
    }

    @Test(arguments: [true, false]) func aStreamEndsWhenItsKeyIsRevoked(isToken: Bool) async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let made = try await test.hub.issue(
                isToken ? .token : .apiKey,
                role: .viewer,
                name: "stream",
                for: project,
                address: ""
            )
            let secret = try #require(made.secret)
            try await test.serve { client in
                var (headers, body) = try Self.request("Android", known: 0, key: isToken ? "x" : secret)
                if isToken {
                    headers[.apiKey] = nil
                    headers[.authorization] = "Bearer \(secret)"
                }
                try await client.liveUpdates(Self.path, headers: headers, body: body) { response, next in
                    #expect(response.status == .ok)
                    try await test.hub.revoke(made.credential.id, of: project)
                    try await Self.publish("1", on: test)
                    let line = try await next()
                    #expect(line == nil)
                }
            }
        }
    }

    @Test func aStreamEndsWhenItsProjectIsDeleted() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            try await test.serve { client in
                let (headers, body) = try Self.request("Android", known: 0, key: test.apiKey)
                try await client.liveUpdates(Self.path, headers: headers, body: body) { response, next in
                    #expect(response.status == .ok)
                    try await test.hub.deleteProject(project, by: .local)
                    let line = try await next()
                    #expect(line == nil)
                }
            }
        }
    }

    @Test func signsOfLifeComeWhileNothingHappens() async throws {
        let watch = TemplateWatch(keepAlive: .milliseconds(500)) { _ in ["a": 7] }
        var versions = try await watch.versions(of: "a", atMost: 1).versions.makeAsyncIterator()
        for _ in 1...3 { #expect(await versions.next() == 7) }
    }

    @Test func anUnknownKeyIsRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let (headers, body) = try Self.request("Android", known: 0, key: "AIzaSyUnknown")
                let reply = try await client.send(.post, Self.path, headers: headers, body: body, token: .some(nil))
                #expect(reply.status == 403)
            }
        }
    }
}
