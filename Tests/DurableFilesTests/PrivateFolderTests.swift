import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct PrivateFolderTests {
    @Test func onlyTheOwnerCanEnterAFolderWhichIsGoneAfterward() async throws {
        try await withTemporaryFolder { parent in
            let folder = try await PrivateFolder.with(in: parent) { folder in
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
                #expect(attributes[.posixPermissions] as? Int == 0o700)
                try Data("secret".utf8).write(to: folder.appending(path: "file"))
                return folder
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    @Test func aFolderThatAKillHasLeftIsRemovedAndOneInUseStays() async throws {
        try await withTemporaryFolder { parent in
            // A program that is not one of Sightline may have a folder beside these.
            let other = parent.appending(path: "other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
            try await PrivateFolder.with(in: parent) { used in
                let left = parent.appending(path: "sightline-temporary-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
                try Data("secret".utf8).write(to: left.appending(path: "file"))
                try await PrivateFolder.with(in: parent) { _ in
                    #expect(!FileManager.default.fileExists(atPath: left.path))
                    #expect(FileManager.default.fileExists(atPath: used.path))
                    #expect(FileManager.default.fileExists(atPath: other.path))
                }
            }
        }
    }

    @Test func aLinkWithTheNameOfAFolderIsNotFollowed() async throws {
        try await withTemporaryFolder { parent in
            let kept = parent.appending(path: "kept")
            try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: false)
            try Data("secret".utf8).write(to: kept.appending(path: "file"))
            let link = parent.appending(path: "sightline-temporary-link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: kept)
            try await PrivateFolder.with(in: parent) { _ in }
            #expect(FileManager.default.fileExists(atPath: kept.appending(path: "file").path))
        }
    }

    @Test func manyUsersAtATimeKeepTheirFolders() async throws {
        try await withTemporaryFolder { parent in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await PrivateFolder.with(in: parent) { folder in
                            let file = folder.appending(path: "file")
                            try Data("secret".utf8).write(to: file)
                            await Task.yield()
                            #expect(try Data(contentsOf: file) == Data("secret".utf8))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
        }
    }
}
