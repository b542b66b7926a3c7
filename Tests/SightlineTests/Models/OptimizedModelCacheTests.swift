import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

@Suite(.hangLimit) struct OptimizedModelCacheTests {
    private static let detector = TestData.fixture("models/uint8_detector.tflite")

    private func files(_ cache: OptimizedModelCache) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: cache.folder, includingPropertiesForKeys: nil)
    }

    @Test func aModelIsRewrittenOnce() throws {
        try withTemporaryFolder { folder in
            let cache = OptimizedModelCache(folder: folder.appending(path: "a/b"))
            let original = try Model(contentsOf: Self.detector)
            let first = try #require(cache.model(for: original, scoreThreshold: 0.5))
            let file = try #require(try files(cache).first)
            let date = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            let second = try #require(cache.model(for: original, scoreThreshold: 0.5))
            #expect(first.data == second.data && first.data != original.data)
            #expect(try files(cache).map(\.lastPathComponent) == [file.lastPathComponent])
            #expect(
                try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate == date
            )
        }
    }

    @Test(arguments: ["cut off", "changed", "empty", "other"])
    func aDamagedFileIsMadeAnew(_ damage: String) throws {
        try withTemporaryFolder { folder in
            let cache = OptimizedModelCache(folder: folder)
            let original = try Model(contentsOf: Self.detector)
            let model = try #require(cache.model(for: original, scoreThreshold: 0.5))
            let file = try #require(try files(cache).first)
            let good = try Data(contentsOf: file)
            var content = good
            switch damage {
            case "cut off": content.removeLast(100)
            case "changed": content[content.count / 2] ^= 1
            case "empty": content = Data()
            default: content = Data(repeating: 7, count: 500)
            }
            try content.write(to: file)
            #expect(try #require(cache.model(for: original, scoreThreshold: 0.5)).data == model.data)
            #expect(try Data(contentsOf: file) == good)
        }
    }

    @Test func thresholdsHaveFilesOfTheirOwn() throws {
        try withTemporaryFolder { folder in
            let cache = OptimizedModelCache(folder: folder)
            let original = try Model(contentsOf: Self.detector)
            let low = try #require(cache.model(for: original, scoreThreshold: 0.1))
            let high = try #require(cache.model(for: original, scoreThreshold: 0.9))
            #expect(low.data != high.data)
            #expect(try files(cache).count == 2)
        }
    }

    @Test func aFolderThatCannotBeWrittenOnlyCostsTime() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data("x".utf8).write(to: file)
            let cache = OptimizedModelCache(folder: file)
            #expect(cache.model(for: try Model(contentsOf: Self.detector), scoreThreshold: nil) != nil)
        }
    }

    @Test func aModelThatCannotBecomeFasterLeavesNoFile() throws {
        try withTemporaryFolder { folder in
            let cache = OptimizedModelCache(folder: folder)
            let model = try Model(contentsOf: TestData.fixture("models/yolov8.tflite"))
            #expect(cache.model(for: model, scoreThreshold: 0.5) == nil)
            #expect(try files(cache).isEmpty)
        }
    }
}
