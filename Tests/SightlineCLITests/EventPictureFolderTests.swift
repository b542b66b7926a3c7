import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Pictures of events go when they are old or too many, and nothing else goes.
@Suite(.hangLimit) struct EventPictureFolderTests {
    /// A folder of pictures, and the clocks of its machine.
    private struct Camera {
        let archive: EventPictureFolder
        var date = Date(timeIntervalSince1970: 1_780_000_000)
        var instant = ContinuousClock.now
        private var count = 0

        init(_ folder: URL, name: String = "door", keep: Duration = .seconds(86_400), most: Int = 1000) {
            let options = EventPictureFolder.Options(folder: folder.path, keepingTime: keep, maximumCount: most)
            archive = EventPictureFolder(options, camera: name)
        }

        mutating func wait(_ time: Duration) {
            instant += time
            date += time / .seconds(1)
        }

        mutating func take() async throws {
            count += 1
            try await archive.add(Data("jpeg".utf8), of: "entered-\(count)", at: date, instant: instant)
        }
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func picturesGoWhenTheyAreOld() async throws {
        try await withTemporaryFolder { folder in
            var camera = Camera(folder)
            for _ in 0..<50 {
                try await camera.take()
                camera.wait(.seconds(3600))
            }
            #expect(try names(folder).count == 25)
        }
    }

    @Test(arguments: [864_000.0, -864_000, 3e9, -1.7e9]) func aClockThatJumpsRemovesNothing(shift: Double) async throws
    {
        try await withTemporaryFolder { folder in
            var camera = Camera(folder)
            camera.wait(.seconds(7200))
            for _ in 0..<10 { try await camera.take() }
            camera.date += shift
            for _ in 0..<10 {
                camera.wait(.seconds(3600))
                try await camera.take()
            }
            camera.date -= shift
            try await camera.take()
            #expect(try names(folder).count == 21)
        }
    }

    @Test func aClockThatWasSetRemovesPicturesAgainLater() async throws {
        try await withTemporaryFolder { folder in
            var camera = Camera(folder)
            // A board without a clock.
            camera.date = Date(timeIntervalSince1970: 5)
            try await camera.take()
            camera.date = Date(timeIntervalSince1970: 1_780_000_000)
            for _ in 0..<60 {
                camera.wait(.seconds(3600))
                try await camera.take()
            }
            #expect(try names(folder).count == 25)
        }
    }

    @Test func aProgramThatStartsWithAWrongClockRemovesNothing() async throws {
        try await withTemporaryFolder { folder in
            var before = Camera(folder)
            for _ in 0..<5 { try await before.take() }
            var camera = Camera(folder)
            camera.date += 864_000
            camera.wait(.seconds(60))
            try await camera.take()
            #expect(try names(folder).count == 6)
        }
    }

    @Test func onlyFilesGo() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            let inner = folder.appending(path: "2020-01-01T00-00-00.000Z-door-entered-2.jpg")
            try files.createDirectory(at: inner, withIntermediateDirectories: false)
            try Data("mine".utf8).write(to: inner.appending(path: "mine.txt"))
            let target = folder.appending(path: "mine.jpg")
            try Data("mine".utf8).write(to: target)
            let link = folder.appending(path: "2020-01-01T00-00-01.000Z-door-entered-3.jpg")
            try files.createSymbolicLink(at: link, withDestinationURL: target)
            var camera = Camera(folder, most: 1)
            for _ in 0..<3 {
                try await camera.take()
                camera.wait(.seconds(3600))
            }
            #expect(try names(folder).count == 4)
            #expect(files.fileExists(atPath: inner.appending(path: "mine.txt").path))
            #expect(files.fileExists(atPath: target.path))
        }
    }

    @Test func camerasMayShareAFolder() async throws {
        try await withTemporaryFolder { folder in
            for _ in 0..<2 {
                var cameras = ["a", "a-b", "a-entered-1", "b"].map { Camera(folder, name: $0, most: 3) }
                for _ in 0..<5 {
                    for index in cameras.indices {
                        try await cameras[index].take()
                        cameras[index].wait(.seconds(1))
                    }
                }
            }
            let cameras = try names(folder).map { $0.dropFirst(25).prefix { $0 != "." } }
            #expect(cameras.count == 12)
            for name in ["a-entered-", "a-b-entered-", "a-entered-1-entered-", "b-entered-"] {
                #expect(cameras.count { $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber) } == 3)
            }
        }
    }
}
