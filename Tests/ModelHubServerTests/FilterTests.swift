import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct FilterTests {
    @Test(arguments: [
        ("displayName=x", ModelFilter.name("x")),
        ("display_name = 'x y'", .name("x y")),
        ("displayName != \"x\"", .not(.name("x"))),
        ("displayName:pre*", .namePrefix("pre")),
        ("tags : t", .tag("t")),
        ("state.published = true", .published(true)),
        ("displayName=X OR tags:Y", .any([.name("X"), .tag("Y")])),
        ("tags:a AND tags:b OR tags:c", .all([.tag("a"), .any([.tag("b"), .tag("c")])])),
        ("NOT (tags:a AND tags:b)", .not(.all([.tag("a"), .tag("b")]))),
    ])
    func filtersOfTheLanguageAreRead(_ text: String, _ expected: ModelFilter) throws {
        #expect(try ModelFilter.parse(text) == expected)
    }

    @Test func anEmptyFilterLetsAllThrough() throws {
        #expect(try ModelFilter.parse("  ") == nil)
    }

    @Test(arguments: [
        "InvalidFilterParam=123", "displayName", "displayName=", "displayName:x", "tags=x", "(tags:a", "tags:a)",
        "tags:a AND",
        "display_name:*x*", "displayName:a*b*", "displayName:**", "displayName=x*", "displayName!='*'", "tags:*",
        "state.published=maybe", "tags:'a", "tags:a tags:b", "!tags:a", String(repeating: "(", count: 40) + "tags:a",
        String(repeating: "NOT ", count: 400) + "tags:a", String(repeating: "x", count: 3000),
    ])
    func anythingElseIsAnInvalidArgument(_ text: String) {
        #expect(throws: HubError.invalidArgument) { try ModelFilter.parse(text) }
    }

    @Test func pagesFollowOneAnotherAndTokensBelongToTheirFilter() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for index in 0..<5 { _ = try await client.create("m\(index)", tags: index == 2 ? ["odd"] : ["even"]) }
                var (names, token, pages): ([String], String, Int) = ([], "", 0)
                repeat {
                    let query = pages.isMultiple(of: 2) ? "pageSize=2&pageToken=" : "page_size=2&page_token="
                    let reply = try await client.send(.get, "\(TestClient.models)?\(query)\(token)&filter=tags%3Aeven")
                    names += (reply.value("models") as? [[String: Any]] ?? []).compactMap {
                        $0["displayName"] as? String
                    }
                    token = reply.text("nextPageToken") ?? ""
                    pages += 1
                    if !token.isEmpty {
                        let other = try await client.send(
                            .get,
                            "\(TestClient.models)?pageToken=\(token)&filter=tags%3Aodd"
                        )
                        #expect(other.status == 400)
                    }
                } while !token.isEmpty
                #expect(names == ["m0", "m1", "m3", "m4"])
                #expect(pages == 2)
                let none = try await client.send(.get, "\(TestClient.models)?filter=tags%3Anone")
                #expect(none.body == Data("{}".utf8))
                let forged = try await client.send(.get, "\(TestClient.models)?pageToken=abc.def")
                #expect(forged.status == 400)
                #expect(forged.text("error.message") == "Request contains an invalid argument.")
            }
        }
    }

    @Test func namesAreFoundByPrefixStateAndNegation() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            try await test.serve { client in
                _ = try await client.publish("plants_a", file: fakeModel())
                _ = try await client.create("plants_b", tags: ["red", "round"])
                _ = try await client.create("planes")
                func names(_ filter: String) async throws -> [String] {
                    let parsed = try ModelFilter.parse(filter)
                    return try await hub.records.models(of: TestHub.project, where: parsed, after: 0, limit: 10).map(
                        \.displayName
                    )
                }
                #expect(try await names("displayName:plants*") == ["plants_a", "plants_b"])
                #expect(try await names("displayName:* AND state.published=true") == ["plants_a"])
                #expect(try await names("NOT displayName:plants*") == ["planes"])
                #expect(try await names("NOT tags:red") == ["plants_a", "planes"])
                #expect(try await names("NOT tags:redder") == ["plants_a", "plants_b", "planes"])
                #expect(try await names(#"NOT tags:'red","round'"#) == ["plants_a", "plants_b", "planes"])
                #expect(try await names("NOT (tags:red OR displayName:plants*)") == ["planes"])
                #expect(try await names("NOT (tags:red AND displayName:plants*)") == ["plants_a", "planes"])
                #expect(try await names("NOT NOT tags:red") == ["plants_b"])
                #expect(try await names("displayName = plants_b OR displayName = planes") == ["plants_b", "planes"])
            }
        }
    }
}
