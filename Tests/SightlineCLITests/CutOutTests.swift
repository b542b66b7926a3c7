import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Objects that are cut out along their masks, from the command line.
@Suite(.hangLimit) struct CutOutTests {
    /// The model finds two parts in every picture. Tests/Fixtures/README.md describes it.
    private let model = ["--model", TestData.fixture("models/selfie.tflite").path]

    private func files(_ folder: URL) throws -> [String] {
        let path = folder.path(percentEncoded: false)
        return (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [])
            .filter { $0.contains(".") }.sorted()
    }

    @Test func eachObjectBecomesAPNG() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": Pictures.png(width: 128, height: 128)], in: folder)
            let result = try await Command.run(["detect", "a.png", "--crop", "out", "--cut-out"] + model, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let names = try files(folder.appending(path: "out"))
            #expect(names == ["person/a-1.png", "person/a-2.png"])
            let data = try Data(contentsOf: folder.appending(path: "out/person/a-1.png"))
            // The type of colors in the header: with transparency.
            #expect(data[data.startIndex + 25] == 6)
            #expect(try VisionImage(data: data).size == PixelSize(width: 64, height: 64))
        }
    }

    @Test func anOfflineVideoHasTheMasksToo() async throws {
        try await withTemporaryFolder { folder in
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let result = try await Command.run(
                ["track", video, "--crop", "out", "--cut-out", "--every", "2", "--offline", "--format", "jsonl"]
                    + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            struct Frame: Decodable {
                let objects: [DetectedObject]
            }
            let objects = try result.lines.flatMap {
                try JSONDecoder().decode(Frame.self, from: Data($0.utf8)).objects
            }
            #expect(objects.allSatisfy { ($0.mask != nil) == ($0.track?.isDetected == true) })
            #expect(objects.contains { $0.mask == nil } && objects.contains { $0.mask != nil })
            let names = try files(folder.appending(path: "out"))
            #expect(names.count == objects.count { $0.mask != nil })
        }
    }

    @Test func aVideoHasAFolderForEachObject() async throws {
        try await withTemporaryFolder { folder in
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let result = try await Command.run(
                ["track", video, "--crop", "out", "--cut-out", "--every", "2", "--format", "jsonl"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            struct Frame: Decodable {
                let objects: [DetectedObject]
            }
            let frames = try result.lines.map { try JSONDecoder().decode(Frame.self, from: Data($0.utf8)) }
            let objects = frames.flatMap(\.objects)
            // An object has a mask in the frames in which it was detected, and only there.
            #expect(objects.allSatisfy { ($0.mask != nil) == ($0.track?.isDetected == true) })
            #expect(objects.contains { $0.mask == nil } && objects.contains { $0.mask != nil })
            for object in objects {
                guard let mask = object.mask else { continue }
                #expect(mask.bounds.intersection(object.frame) == object.frame)
            }
            let names = try files(folder.appending(path: "out"))
            #expect(names.count == objects.count { $0.mask != nil })
            #expect(names.allSatisfy { $0.hasSuffix(".png") })
        }
    }

    @Test(
        arguments: [
            (["--cut-out"], "add --crop FOLDER"),
            (["--crop", "out", "--cut-out", "--model", TestData.fixture("models/ssd.tflite").path], "gives none"),
        ]
    )
    func optionsThatMakeNoSenseAreRefused(words: [String], reason: String) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": Pictures.png(width: 64, height: 64)], in: folder)
            let result = try await Command.run(["detect", "a.png"] + words, in: folder)
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.errors.contains(reason))
            #expect(try files(folder) == ["a.png"])
        }
    }

    @Test func aModelForSegmentationIsMeasuredByItsMasks() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["images/a.png": Pictures.png(width: 128, height: 128)], in: folder)
            let found = try await Command.run(
                ["detect", "images/a.png", "--format", "coco-polygons", "--output", "known.json"] + model,
                in: folder
            )
            #expect(found.status == 0, "\(found.errors)")
            let result = try await Command.run(
                ["evaluate", "boxes", "known.json", "--masks", "--format", "json"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            )
            let summary = try #require(report["summary"] as? [String: Any])
            #expect((summary["ap"] as? Double).map { $0 > 0.999 } == true)
            #expect(report["comparison"] as? String == "masks")
        }
    }
}
