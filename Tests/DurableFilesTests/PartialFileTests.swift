import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct PartialFileTests {
    private func append(_ text: String, to file: PartialFile) throws {
        let result: Result<Void, DurableFileError> = Data(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(DurableFileError) in try file.append(bytes) }
        }
        try result.get()
    }

    @Test func aLaterAttemptContinuesTheBytesAndTheirHash() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "model.part").path
            do {
                let file = try #require(try PartialFile.opened(path))
                #expect(!file.isResumed)
                try append("a", to: file)
            }
            let file = try #require(try PartialFile.opened(path))
            #expect(file.isResumed)
            try append("bc", to: file)
            #expect(file.byteCount == 3)
            #expect(file.sha256 == SHA256.hexadecimalDigest(of: Data("abc".utf8)))
        }
    }

    @Test func aSecondDownloadDoesNotGetTheFile() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "model.part").path
            let file = try #require(try PartialFile.opened(path))
            #expect(try PartialFile.opened(path) == nil)
            PartialFile.removeUnlessOpen(path)
            #expect(FileManager.default.fileExists(atPath: path))
            withExtendedLifetime(file) {}
        }
    }

    @Test func aFileThatNoDownloadHasOpenIsRemoved() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "model.part").path
            try Data("abc".utf8).write(to: URL(filePath: path))
            PartialFile.removeUnlessOpen(path)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func aClearedFileBeginsAnew() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "model.part")
            try Data("damaged".utf8).write(to: path)
            let file = try #require(try PartialFile.opened(path.path))
            try file.clear()
            #expect(!file.isResumed && file.byteCount == 0)
            try append("abc", to: file)
            #expect(file.sha256 == SHA256.hexadecimalDigest(of: Data("abc".utf8)))
            #expect(try Data(contentsOf: path) == Data("abc".utf8))
        }
    }

    @Test func anInstalledFileReplacesAnother() throws {
        try withTemporaryFolder { folder in
            let place = folder.appending(path: "model.tflite")
            try Data("old".utf8).write(to: place)
            let file = try #require(try PartialFile.opened(folder.appending(path: "model.part").path))
            try append("new", to: file)
            try file.install(at: place)
            #expect(try Data(contentsOf: place) == Data("new".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["model.tflite"])
        }
    }

    @Test func aLinkIsNotFollowed() throws {
        try withTemporaryFolder { folder in
            let (target, link) = (folder.appending(path: "target"), folder.appending(path: "model.part"))
            try Data("mine".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let error = #expect(throws: DurableFileError.self) { try PartialFile.opened(link.path) }
            #expect(error?.path == link.path)
            #expect(try Data(contentsOf: target) == Data("mine".utf8))
        }
    }
}

@Suite(.hangLimit) struct FolderTests {
    @Test func aFolderIsMadeWithItsParents() throws {
        try withTemporaryFolder { folder in
            let inner = folder.appending(path: "a/b c/ü")
            for _ in 0..<2 { try DurableFile.makeFolder(inner) }
            #expect(FileManager.default.fileExists(atPath: inner.path))
        }
    }

    @Test func aFolderBelowAFileIsAnError() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            for place in [file, file.appending(path: "below")] {
                #expect(throws: DurableFileError.self) { try DurableFile.makeFolder(place) }
            }
        }
    }

    @Test func onlyRegularFilesHaveASize() throws {
        try withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
            try Data([1, 2, 3]).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            #expect(DurableFile.size(file) == 3)
            #expect(DurableFile.size(link) == nil)
            #expect(DurableFile.size(folder) == nil)
        }
    }

    @Test func aFileHasTheHashOfItsBytes() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            let bytes = Data(repeating: 7, count: 600_000)
            try bytes.write(to: file)
            #expect(try DurableFile.sha256(of: file) == SHA256.hexadecimalDigest(of: bytes))
            let missing = folder.appending(path: "missing")
            let error = #expect(throws: DurableFileError.self) { try DurableFile.sha256(of: missing) }
            #expect(error?.description == "\(missing.path) cannot be read: No such file or directory.")
        }
    }

    @Test(arguments: [("/data", "/data"), ("data", nil), ("", nil), (nil, nil)] as [(String?, String?)])
    func onlyAnAbsolutePathIsTheDataFolder(_ variable: String?, _ path: String?) {
        var environment = ["HOME": "/home/ada"]
        environment["XDG_DATA_HOME"] = variable
        let folder = UserDataFolder.ofUser(environment: environment)
        #expect(folder.path(percentEncoded: false).hasPrefix(path ?? "/home/ada/.local/share"))
    }

    @Test(arguments: [("/cache", "/cache"), ("cache", nil), ("", nil), (nil, nil)] as [(String?, String?)])
    func onlyAnAbsolutePathIsTheCacheFolder(_ variable: String?, _ path: String?) {
        var environment = ["HOME": "/home/ada"]
        environment["XDG_CACHE_HOME"] = variable
        let folder = UserCacheFolder.ofUser(environment: environment)
        #if canImport(Darwin)
            let standard = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.path
        #else
            let standard = "/home/ada/.cache"
        #endif
        #expect(folder.path == path ?? standard)
    }

    @Test(arguments: [
        (String(repeating: "0a", count: 32), true), (String(repeating: "0A", count: 32), false),
        (String(repeating: "0", count: 63), false), (String(repeating: "0", count: 65), false),
        (String(repeating: "٠", count: 32), false), ("../" + String(repeating: "0", count: 61), false),
    ])
    func aDigestHas64LowercaseDigits(_ text: String, _ isDigest: Bool) {
        #expect(SHA256.isHexadecimalDigest(text) == isDigest)
    }

    @Test func everyByteHasTwoDigits() {
        let bytes = (UInt8.min...UInt8.max).map { $0 }
        let text = bytes.hexadecimalText
        #expect(text.count == 512 && text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(stride(from: 0, to: 512, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16) } == bytes)
    }
}
