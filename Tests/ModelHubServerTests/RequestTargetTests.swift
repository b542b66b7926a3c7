import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RequestTargetTests {
    @Test func pathsAndQueriesAreDecoded() throws {
        let target = try RequestTarget("/v1/projects/a%40b/models/x:download?key=a%2Bb+c&empty=&bare&twice=1&twice=2")
        #expect(target.path == ["v1", "projects", "a@b", "models", "x:download"])
        #expect(target.query == ["key": "a+b c", "empty": "", "bare": "", "twice": "2"])
        #expect(try RequestTarget("/").path.isEmpty)
        #expect(try RequestTarget("/a?b=c=d&&e").query == ["b": "c=d", "e": ""])
        #expect(try RequestTarget("/%C3%BC?%C3%BC=%E2%82%AC").path == ["ü"])
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/%ff", "/a?b=%", "/a?%ff=1", "/a%00", "/a?b=%00", "/a?%00=b"])
    func malformedTargetsAreInvalidArguments(_ target: String) throws {
        let error = #expect(throws: HubError.self) { try RequestTarget(target) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: ["//metrics", "/metrics/", "/%6detrics", "/console//models", "/console/%6dodels", "metrics", "*"])
    func addressesThatARuleOfAProxyWouldMissLeadNowhere(_ target: String) throws {
        let error = #expect(throws: HubError.self) { try RequestTarget(target) }
        #expect(error?.code == .notFound)
    }

    @Test func namesOfObjectsMayBeEscapedAsClientsLike() throws {
        #expect(
            try RequestTarget("/storage/v1/b/x/o/%6dodels%2Fa.tflite").path
                == ["storage", "v1", "b", "x", "o", "models/a.tflite"]
        )
        let signed = try RequestTarget("/bucket/a//%61?X-Goog-Algorithm=GOOG4-RSA-SHA256")
        #expect(signed.path == ["bucket", "a", "a"])
    }

    @Test func installationsMayEndWithASlashAsFirebasesClientsSendThem() throws {
        #expect(
            try RequestTarget("/v1/projects/p/installations/?key=a").path == ["v1", "projects", "p", "installations"]
        )
        #expect(try RequestTarget("/v1/projects/p/installations/f/").path.last == "f")
    }

    @Test func whatIsLongerThanAnyRequestNeedsIsRefused() {
        #expect(throws: HubError.self) { try RequestTarget("/a?" + String(repeating: "a&", count: 1001)) }
        #expect(throws: HubError.self) { try RequestTarget("/" + String(repeating: "a", count: 16_384)) }
        #expect(throws: HubError.self) { try RequestTarget("/storage" + String(repeating: "/a", count: 2000)) }
    }

    @Test(arguments: [
        ("/v1beta2/projects/p/models/x%3adownload?key=a%2Fb", "/v1beta2/projects/p/models/x:download?key=a%2Fb"),
        ("/storage/v1/b/x/o/%6dodels%2Fa.tflite", "/storage/v1/b/x/o/models%2Fa.tflite"),
        ("/console/experiments/%2B", "/console/experiments/+"), ("/a/%25%3F%23%20/%62", "/a/%25%3F%23%20/b"),
    ])
    func escapesThatHideARouteAreDecodedForTheRouter(_ target: String, _ routable: String) {
        #expect(RequestTarget.routable(target) == routable)
    }

    @Test(arguments: ["/v1/projects/p", "/a?b=%62", "/files/%2F/%C3%BC", "/%zz/%62", "/%00%62"])
    func otherTargetsReachTheRouterUnchanged(_ target: String) { #expect(RequestTarget.routable(target) == nil) }
}
