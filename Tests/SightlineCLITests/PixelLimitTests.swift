import ArgumentParser
import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// The limit on the size of pictures and frames.
@Suite(.hangLimit)
struct PixelLimitTests {
    @Test(arguments: [("1", 1), ("800", 800), ("50M", 50_000_000), ("1.5k", 1500), ("2K", 2000), ("0.2G", 200_000_000)])
    func aNumberOfPixelsMayHaveAUnit(text: String, count: Int) {
        #expect(CountArgument(argument: text)?.count == count)
    }

    @Test(arguments: ["", "M", "0", "0.1", "-5", "1e6", "5 M", "5MB", "nan", "infinity", "1.2.3", "0x10", "9999999G"])
    func otherTextsAreNoNumberOfPixels(text: String) {
        #expect(CountArgument(argument: text) == nil)
    }

    @Test(arguments: [["p.png"], ["-"], ["--stdin"], ["--stdin-format", "frames"]])
    func aLargerPictureIsAFailureHoweverItComes(input: [String]) async throws {
        try await withTemporaryFolder { folder in
            let picture = try Pictures.png(red: 255, width: 40, height: 20)
            try Pictures.write(["p.png": picture], in: folder)
            let bytes =
                switch input.last {
                case "-": picture
                case "--stdin": Data("p.png\n".utf8)
                case "frames": Data("\(picture.count) p.png\n".utf8) + picture
                default: Data()
                }
            let label = ["label", "--model", Command.classifier, "--format", "jsonl"] + input
            let allowed = try await Command.run(label + ["--max-pixels", "0.8k"], input: bytes, in: folder)
            #expect(allowed.status == 0)
            let refused = try await Command.run(label + ["--max-pixels", "799"], input: bytes, in: folder)
            #expect(refused.status == 2)
            #expect(
                try refused.records().map { $0["error"] as? String } == [
                    "the picture of 40 × 20 pixels exceeds the limit of 799 pixels; shrink it, or raise --max-pixels."
                ]
            )
        }
    }

    @Test func aVideoWithLargerFramesIsRefused() async throws {
        let video = TestData.fixture("videos/h264-aac.mp4").path
        let result = try await Command.run(["track", video, "--model", Command.detector, "--max-pixels", "1k"])
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("exceed the limit of 1000 pixels; raise --max-pixels"), "\(result.errors)")
    }
}
