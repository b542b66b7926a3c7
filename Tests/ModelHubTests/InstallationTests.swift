import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHub
@testable import ModelHubServer

@Suite(.hangLimit)
struct InstallationTests {
    private static let hub = "http://127.0.0.1:1"

    @Test func theIdHasTheFormOfFirebasesAndStays() throws {
        try withTemporaryFolder { folder in
            let id = try ModelManager.testing(Self.hub, folder: folder).installationID
            #expect(try /[cdef][A-Za-z0-9_-]{21}/.wholeMatch(in: id) != nil)
            #expect(try ModelManager.testing(Self.hub, folder: folder).installationID == id)
            #expect(contents(of: folder) == ["installation", "lock"])
            try withTemporaryFolder { other in
                let another = try ModelManager.testing(Self.hub, folder: other).installationID
                #expect(another != id)
            }
        }
    }

    @Test(arguments: ["", "x", "aaaaaaaaaaaaaaaaaaaaaa", "cäaaaaaaaaaaaaaaaaaaa", "caaaaaaaaaaaaaaaaaaaaa\n"])
    func aDamagedIdIsReplacedOnce(_ text: String) throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "installation")
            try Data(text.utf8).write(to: file)
            let id = try ModelManager.testing(Self.hub, folder: folder).installationID
            #expect(id != text)
            #expect(try Data(contentsOf: file) == Data(id.utf8))
        }
    }

    @Test func callersAtOneTimeGetOneId() async throws {
        try await withTemporaryFolder { folder in
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    let manager = try ModelManager.testing(Self.hub, folder: folder)
                    group.addTask { try manager.installationID }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
    }

    @Test func aFolderThatCannotBeMadeIsSaid() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            let manager = try ModelManager.testing(Self.hub, folder: file.appending(path: "below"))
            #expect(throws: DownloadError.self) { try manager.installationID }
        }
    }

    @Test func theHubLearnsTheIdWhenTheAppRegisters() async throws {
        try await ClientHub.with { hub, folder in
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let client = HubClient(configuration: manager.configuration, installation: Installation(folder: folder))
            let token = try await client.register(app: "1:2:ios:3")
            #expect(hub.hub.installation(token: token)?.fid == (try manager.installationID))
        }
    }
}
