import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// The example of the guide "Follow objects through video".
@Suite(.hangLimit)
struct FollowObjectsTests {
    @Test func theGuidesExampleWritesAVideoAndAFile() async throws {
        try await withTemporaryFolder { folder in
            let (seen, table) = (folder.appending(path: "seen.mp4"), folder.appending(path: "objects.csv"))
            let model = LocalModel(url: TestData.fixture("models/ssd_metadata.tflite"))

            let video = try VideoReader(contentsOf: TestData.fixture("videos/h264-aac.mp4"))
            let detector = try StreamDetector(
                detection: ObjectDetectorOptions(model: model)
            )
            let writer = try VideoWriter(url: seen, like: video.info)
            var renderer = PictureRenderer([TraceAnnotator(), BoxAnnotator(), LabelAnnotator()])
            let gate = LineZone(from: PixelPoint(x: 0, y: 40), to: PixelPoint(x: 64, y: 40))
            var history = StreamHistory(lines: [gate])
            var sink = try ResultFormat.csv.sink(for: .frames, to: table)
            try sink.begin()
            var names: [Int: String] = [:]
            var sightings = 0
            for try await analyzed in detector.results(in: video.frames()) {
                for object in analyzed.result.objects {
                    if let id = object.id { names[id] = object.labels.first?.text ?? "object" }
                }
                sightings += analyzed.result.objects.count
                _ = history.update(analyzed.result)
                try sink.append(analyzed.result)
                try writer.append(renderer.render(AnnotatedScene(analyzed.result), on: analyzed.frame))
            }
            try sink.finish()
            try writer.finish()

            #expect(Set(names.values) == ["red", "blue"])
            #expect(history.lines[0].totalIn == 0 && history.lines[0].totalOut == 0)
            #expect(history.objectCount == names.count)
            #expect(sightings > 10)
            #expect(try String(contentsOf: table, encoding: .utf8).split(separator: "\n").count == 1 + sightings)
            #expect(writer.summary.frames == 20)
        }
    }
}
