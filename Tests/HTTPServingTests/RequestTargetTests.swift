import HTTPServing
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct RequestTargetTests {
    /// The spelling of a server with an area `storage` for names of objects.
    private static let spelling = {
        var spelling = RequestTarget.Spelling()
        spelling.freeAreas = ["storage"]
        spelling.freeField = "X-Goog-Algorithm"
        spelling.areaWithFinalSlash = "v1"
        return spelling
    }()

    private func target(_ text: String) throws -> RequestTarget { try RequestTarget(text, spelling: Self.spelling) }

    @Test func pathsAndQueriesAreDecoded() throws {
        let read = try self.target("/v1/projects/a%40b/models/x:download?key=a%2Bb+c&empty=&bare&twice=1&twice=2")
        #expect(read.path == ["v1", "projects", "a@b", "models", "x:download"])
        #expect(read.query == ["key": "a+b c", "empty": "", "bare": "", "twice": "2"])
        #expect(try target("/").path.isEmpty)
        #expect(try target("/a?b=c=d&&e").query == ["b": "c=d", "e": ""])
        #expect(try target("/%C3%BC?%C3%BC=%E2%82%AC").path == ["ü"])
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/%ff", "/a?b=%", "/a?%ff=1", "/a%00", "/a?b=%00", "/a?%00=b"])
    func malformedTargetsAreInvalidArguments(_ target: String) throws {
        #expect(throws: RequestError.malformed) { try self.target(target) }
    }

    @Test(arguments: ["//metrics", "/metrics/", "/%6detrics", "/console//models", "/console/%6dodels", "metrics", "*"])
    func addressesThatARuleOfAProxyWouldMissLeadNowhere(_ target: String) throws {
        #expect(throws: RequestError.unknownAddress) { try self.target(target) }
    }

    @Test func namesOfObjectsMayBeEscapedAsClientsLike() throws {
        #expect(
            try target("/storage/v1/b/x/o/%6dodels%2Fa.tflite").path
                == ["storage", "v1", "b", "x", "o", "models/a.tflite"]
        )
        let signed = try target("/bucket/a//%61?X-Goog-Algorithm=GOOG4-RSA-SHA256")
        #expect(signed.path == ["bucket", "a", "a"])
    }

    @Test func installationsMayEndWithASlashAsFirebasesClientsSendThem() throws {
        #expect(
            try target("/v1/projects/p/installations/?key=a").path == ["v1", "projects", "p", "installations"]
        )
        #expect(try target("/v1/projects/p/installations/f/").path.last == "f")
    }

    @Test func whatIsLongerThanAnyRequestNeedsIsRefused() {
        #expect(throws: RequestError.self) { try target("/a?" + String(repeating: "a&", count: 1001)) }
        #expect(throws: RequestError.self) { try target("/" + String(repeating: "a", count: 16_384)) }
        #expect(throws: RequestError.self) { try target("/storage" + String(repeating: "/a", count: 2000)) }
    }

    @Test(arguments: [
        ("/v1beta2/projects/p/models/x%3adownload?key=a%2Fb", "/v1beta2/projects/p/models/x:download?key=a%2Fb"),
        ("/storage/v1/b/x/o/%6dodels%2Fa.tflite", "/storage/v1/b/x/o/models%2Fa.tflite"),
        ("/console/experiments/%2B", "/console/experiments/+"),
        ("/storage/%25%3F%23%20/%62", "/storage/%25%3F%23%20/b"),
    ])
    func escapesThatHideARouteAreDecodedForTheRouter(_ target: String, _ routable: String) throws {
        #expect(try self.target(target).routable == routable)
    }

    @Test(arguments: ["/v1/projects/p", "/a?b=%62", "/files/%2F/%C3%BC", "/storage//a"])
    func otherTargetsReachTheRouterUnchanged(_ target: String) throws {
        #expect(try self.target(target).routable == nil)
    }

    @Test func emptyPartsStayForTheRouter() throws {
        #expect(try target("/storage//a/%62/?c").routable == "/storage//a/b/?c")
        #expect(try target("/v1/%3A/?c").routable == "/v1/:/?c")
    }

    @Test func aServerThatPermitsNothingHasOneSpellingOfEachPath() {
        for text in ["/storage/%61", "/storage//a", "/v1/", "/a/%61?X-Goog-Algorithm=1"] {
            #expect(throws: RequestError.unknownAddress) { try RequestTarget(text) }
        }
    }
}
