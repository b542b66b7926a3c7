import Foundation
import Sightline
import SightlineTestSupport
import Testing

@testable import SightlineEvaluation

/// Reports as HTML files.
@Suite(.hangLimit)
struct ReportPageTests {
    /// Text that would run, or would break the page, if it were not escaped.
    private static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</style><script>",
        "</title><svg onload=alert(1)>", "javascript:alert(1)", "&lt;b&gt;", "a\u{0}b\u{1b}[31m",
    ]

    /// The tags of a page: all that stands between < and >.
    private func tags(_ page: String) -> [Substring] {
        page.split(separator: "<").dropFirst().compactMap { $0.split(separator: ">", maxSplits: 1).first }
    }

    private func check(_ page: String, _ label: Comment) {
        #expect(!page.contains("<script"), label)
        #expect(!page.contains("\0") && !page.contains("\u{1b}"), label)
        for tag in tags(page) {
            // Outside quoted attribute values no event handlers.
            var isQuoted = false
            let bare = tag.filter { character in
                if character == "\"" { isQuoted.toggle() }
                return !isQuoted
            }
            #expect(!bare.contains("onerror") && !bare.contains("onload") && !bare.contains("onmouse"), label)
            #expect(!isQuoted, label)
        }
        #expect(!page.contains("http://") && !page.contains("https://"), label)
    }

    private func report(name: String) -> LabelReport {
        var tally = LabelTally(names: [name, name + "2"])
        tally.add(path: name, truth: 0, answers: [.init(label: 1, confidence: 0.8)])
        tally.add(path: name + "b", truth: 1, answers: [.init(label: 1, confidence: 0.9)])
        tally.add(path: name + "c", truth: nil, answers: [.init(label: 0, confidence: 0.3)])
        tally.skipped.add(name, name)
        var report = tally.report(
            model: EvaluatedModel(name: name, sha256: name, byteCount: 1),
            source: name,
            duration: .seconds(1)
        )
        report.unknownFolders = .init(count: 1, pictureCount: 3, names: [name])
        return report
    }

    @Test(arguments: hostile)
    func namesFromOutsideAreText(name: String) throws {
        check(report(name: name).html(pictures: nil), "labels: \(name)")
        var files = BoxFiles()
        files.categories = [name, "b", "c"]
        files.objects = [(0, 0, [10, 10, 50, 50], false), (1, 1, [1, 1, 9, 9], false)]
        files.boxes = [(0, 0, [10, 10, 50, 50], 0.9), (1, 0, [50, 50, 9, 9], 0.8), (0, 2, [1, 1, 3, 3], 0.7)]
        var boxes = try files.report()
        boxes.source = name
        boxes.detectionsSource = name
        boxes.unknownLabels = .init(count: 1, detectionCount: 1, names: [name])
        boxes.skipped.add(name, name)
        for index in boxes.pictures.indices { boxes.pictures[index].path = name }
        check(boxes.html(pictures: PictureFiles(folder: URL(filePath: "/no/such"))), "boxes: \(name)")
    }

    @Test func namesAreShown() {
        let page = report(name: "red & green").html(pictures: nil)
        #expect(page.contains("red &amp; green"))
        #expect(page.contains("<!doctype html>"))
        #expect(page.contains("Confusion"))
    }

    @Test func thePicturesThatWentWrongAreInThePage() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "red/1.png": try Pictures.png(blue: 255, width: 640, height: 480),
                    "green/1.png": try Pictures.png(green: 255),
                ],
                in: folder
            )
            let pictures = try LabeledPictures(contentsOf: folder)
            let evaluator = try LabelEvaluator(options: LabelEvaluatorOptions(model: Pictures.classifier))
            let page = try await evaluator.evaluate(pictures).html(pictures: pictures.files)
            let text = try #require(page.split(separator: "data:image/jpeg;base64,").last?.prefix { $0 != "\"" })
            let image = try VisionImage(data: try #require(Data(base64Encoded: String(text))))
            #expect(image.size == PixelSize(width: 240, height: 180))
        }
    }

    @Test func aPageOfManyLabelsIsBounded() {
        var tally = LabelTally(names: (0..<10_000).map { "label \($0)" })
        for index in 0..<10_000 {
            tally.add(
                path: "picture \(index)",
                truth: index,
                answers: [.init(label: (index * 7) % 10_000, confidence: 0.5)]
            )
        }
        let report = tally.report(model: .none, source: "many", duration: .seconds(1))
        #expect(report.html(pictures: nil).utf8.count < 1 << 20)
        #expect(report.text().split(separator: "\n").count < 100)
    }

    @Test func numbersAreWrittenAlikeEverywhere() {
        #expect(ReportNumbers.fixed(0.0049999, 2) == "0.00")
        #expect(ReportNumbers.fixed(-0.126, 2) == "-0.13")
        #expect(ReportNumbers.fixed(-0.001, 2) == "0.00")
        #expect(ReportNumbers.fixed(.nan, 2) == "–")
        #expect(ReportNumbers.fixed(.infinity, 2) == "–")
        #expect(ReportNumbers.percent(1) == "100.0 %")
        #expect(ReportNumbers.duration(200) == "3 min 20 s")
    }
}
