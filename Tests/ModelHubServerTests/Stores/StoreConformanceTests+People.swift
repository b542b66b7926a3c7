import Foundation
import Testing

@testable import ModelHubServer

/// People, their roles, and keys with an end.
extension StoreConformanceTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private static func later(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

    private func grant(
        _ role: Role,
        in project: String?,
        expiry: Timestamp? = nil,
        credential: String? = nil
    ) -> Person.Grant {
        Person.Grant(
            project: project,
            role: role,
            displayName: "Ada",
            createTime: Self.start,
            bound: PowerBound(credential: credential, expiry: expiry)
        )
    }

    private func token(_ id: String, parent: String? = nil, person: String? = nil) -> Credential {
        Credential(
            id: id,
            project: person == nil ? "my-plants" : nil,
            person: person,
            kind: .token,
            role: .owner,
            name: "token",
            secretHash: Array(id.utf8),
            parent: parent,
            createTime: Self.start
        )
    }

    @Test(arguments: StoreBackend.allCases)
    func aRoleIsGrantedReplacedAndEnds(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            _ = try await stores.project("other")
            try await records.grant(grant(.viewer, in: "my-plants"), to: "ada@x.org", audit: .test)
            try await records.grant(grant(.editor, in: "my-plants"), to: "ada@x.org", audit: .test)
            let brief = grant(.publisher, in: "other", expiry: Self.later(60))
            try await records.grant(brief, to: "ada@x.org", audit: .test)
            try await records.grant(grant(.administrator, in: nil), to: "bob@x.org", audit: .test)
            let person = try #require(try await records.person("ada@x.org", at: Self.start))
            #expect(person.grants == [grant(.editor, in: "my-plants"), brief])
            #expect(try await records.person("ada@x.org", at: Self.later(60))?.grants.count == 1)
            #expect(try await records.administrators(at: Self.start).map(\.address) == ["bob@x.org"])
            let all = try await records.people(in: nil, after: "", limit: 10, at: Self.start)
            #expect(all.map(\.address) == ["ada@x.org", "bob@x.org"])
            let ofOther = try await records.people(in: "other", after: "", limit: 10, at: Self.start)
            #expect(ofOther == [Person(address: "ada@x.org", grants: [brief])])
            #expect(try await records.people(in: "other", after: "ada@x.org", limit: 10, at: Self.start).isEmpty)
            #expect(try await records.removeGrant(of: "ada@x.org", in: "my-plants", audit: .test))
            #expect(try await !records.removeGrant(of: "ada@x.org", in: "my-plants", audit: .test))
            try await records.forgetPeople(endedBefore: Self.later(61))
            #expect(try await records.person("ada@x.org", at: Self.start) == nil)
            #expect(try await records.person("bob@x.org", at: Self.start) != nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func twoOwnersAtOnceDoNotRemoveEachOther(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            for number in 0..<8 {
                try await records.grant(grant(.owner, in: "my-plants"), to: "p\(number)@x.org", audit: .test)
            }
            let removed = try await eightAtOnce { number in
                do {
                    return try await records.removeGrant(of: "p\(number)@x.org", in: "my-plants", audit: .test)
                } catch let error as HubError where error.code == .failedPrecondition {
                    return false
                }
            }
            #expect(removed.count(where: { $0 }) == 7)
            #expect(try await records.people(in: "my-plants", after: "", limit: 10, at: Self.start).count == 1)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aRevocationReachesAllThatACredentialCreated(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            for (id, parent) in [("a", nil), ("b", "a"), ("c", "b"), ("other", nil)] {
                try await records.insert(token(id, parent: parent), audit: .test)
            }
            try await records.grant(grant(.viewer, in: "my-plants", credential: "c"), to: "eve@x.org", audit: .test)
            var link = SignInLink(person: "eve@x.org", role: .viewer, credential: "c")
            link.codeHash = [1]
            link.expiry = Timestamp.now.advanced(by: .seconds(600))
            try await records.insert(link, audit: .test)
            let owner = Credential.Owner.project("my-plants")
            #expect(try await records.revoke(credential: "a", of: owner, at: Self.later(1), audit: .test))
            for id in ["a", "b", "c"] {
                #expect(try await records.credential(id: id)?.revokeTime == Self.later(1))
            }
            #expect(try await records.credential(id: "other")?.revokeTime == nil)
            #expect(try await records.person("eve@x.org", at: Self.start) == nil)
            #expect(try await records.takeSignInLink(codeHash: [1], at: .now) == nil)
            let error = await #expect(throws: HubError.self) {
                try await records.insert(token("late", parent: "b"), audit: .test)
            }
            #expect(error?.code == .unauthenticated)
            try await records.forgetCredentials(endedBefore: Self.later(2))
            #expect(try await records.credentials(of: owner).map(\.id) == ["other"])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func tokensLeaveWithTheirPerson(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            try await records.grant(grant(.viewer, in: "my-plants"), to: "ada@x.org", audit: .test)
            try await records.insert(token("personal", person: "ada@x.org"), audit: .test)
            try await records.insert(token("child", parent: "personal"), audit: .test)
            #expect(try await records.credentials(of: .person("ada@x.org")).map(\.id) == ["personal"])
            #expect(try await records.credentials(of: .hub).isEmpty)
            #expect(try await records.removeGrant(of: "ada@x.org", in: "my-plants", audit: .test))
            #expect(try await records.credential(id: "personal") == nil)
            #expect(try await records.credential(id: "child")?.revokeTime != nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aUseIsRecordedAtMostOnceAnHour(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            try await records.insert(token("a"), audit: .test)
            for (seconds, expected) in [(0, 0), (3599, 0), (3600, 3600), (10, 3600)] as [(Int64, Int64)] {
                try await records.noteUses(of: ["a": Self.later(seconds), "unknown": Self.start])
                #expect(try await records.credential(id: "a")?.useTime == Self.later(expected))
            }
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aPersonHasFewKeys(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            try await records.grant(grant(.viewer, in: "my-plants"), to: "ada@x.org", audit: .test)
            for number in 0..<Credential.maximumCountOfPerson {
                try await records.insert(token("\(number)", person: "ada@x.org"), audit: .test)
            }
            let error = await #expect(throws: HubError.self) {
                try await records.insert(token("one more", person: "ada@x.org"), audit: .test)
            }
            #expect(error?.code == .resourceExhausted)
        }
    }
}
