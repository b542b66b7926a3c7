import ArgumentParser
import Foundation
import Sightline
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// How command lines are read.
struct ArgumentTests {
    private func detect(_ arguments: String...) throws -> DetectCommand {
        try #require(try SightlineCommand.parseAsRoot(["detect"] + arguments) as? DetectCommand)
    }

    @Test func readsEveryOption() throws {
        let command = try detect(
            "a.jpg",
            "--model",
            "m.tflite",
            "--classifier",
            "c.tflite",
            "--labels",
            "l.txt",
            "--threshold",
            "0.25",
            "--classification-threshold",
            "0.5",
            "--iou-threshold",
            "0.75",
            "--max-objects",
            "7",
            "--max-labels",
            "3",
            "--single",
            "--roi",
            "1,2,3.5,4",
            "--threads",
            "2",
            "--workers",
            "3",
            "--format",
            "csv",
            "--allow",
            "cat",
            "--allow",
            "tench, Tinca",
            "--deny",
            "dog",
            "--annotate",
            "out",
            "b.jpg"
        )
        #expect(command.pictures.inputs == ["a.jpg", "b.jpg"])
        #expect(command.pictures.model == "m.tflite")
        #expect(command.classifier == "c.tflite")
        #expect(command.pictures.labels == "l.txt")
        #expect(command.threshold == 0.25)
        #expect(command.classificationThreshold == 0.5)
        #expect(command.iouThreshold == 0.75)
        #expect(command.maxObjects == 7)
        #expect(command.maxLabels == 3)
        #expect(command.single)
        #expect(command.pictures.roi?.rect == PixelRect(x: 1, y: 2, width: 3.5, height: 4))
        #expect(command.pictures.threadCount == 2)
        #expect(command.pictures.workers == 3)
        #expect(command.pictures.outputFormat == .csv)
        #expect(command.pictures.allow == ["cat", "tench, Tinca"])
        #expect(command.pictures.deny == ["dog"])
    }

    @Test(arguments: [
        ["detect"], ["detect", "a.jpg", "--stdin"], ["detect", "a.jpg", "--threshold", "1.5"],
        ["detect", "a.jpg", "--threshold", "nan"], ["detect", "a.jpg", "--max-objects", "0"],
        ["detect", "a.jpg", "--workers", "0"], ["detect", "a.jpg", "--threads", "-1"],
        ["detect", "a.jpg", "--roi", "1,2,3"], ["detect", "a.jpg", "--roi", "1,2,0,4"],
        ["detect", "a.jpg", "--roi", "1,2,nan,4"], ["detect", "a.jpg", "--format", "xml"],
        ["detect", "a.jpg", "--annotate", "out.gif"], ["label", "a.jpg", "--fit", "letterbox"],
        ["detect", "a.jpg", "--labels", "l.txt"], ["label", "a.jpg", "--labels", "l.txt"],
        ["inspect", "--labels", "l.txt"], ["find"],
    ])
    func refusesACommandLineThatMakesNoSense(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try SightlineCommand.parseAsRoot(arguments) }
        #expect(error.map { SightlineCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test func writesJSONLinesWhenPathsComeOnStandardInputUnlessToldOtherwise() throws {
        #expect(try detect("--stdin").pictures.outputFormat == .jsonl)
        #expect(try detect("--stdin", "--format", "csv").pictures.outputFormat == .csv)
        #expect(try detect("a.jpg").pictures.outputFormat == .table)
    }

    @Test func putsAnnotatedPicturesOfSeveralInputsIntoAFolder() throws {
        try withTemporaryFolder { folder in
            try Pictures.write(["p/x/a.webp": Data()], in: folder)
            let out = folder.appending(path: "out").path
            let target = try AnnotationTarget(out, isSingle: false)
            let inputs = InputSequence(arguments: [folder.path + "/p", "../b.jpg", "-"])
            #expect(inputs.map { target.path(for: $0) } == [out + "/x/a.webp.png", out + "/b.jpg", out + "/stdin.png"])
        }
    }

    @Test func refusesAFileAsThePlaceForSeveralAnnotatedPictures() throws {
        try withTemporaryFolder { folder in
            try Pictures.write(["out.png": Data()], in: folder)
            let path = folder.appending(path: "out.png").path
            #expect(throws: InputError.self) { try AnnotationTarget(path, isSingle: false) }
            #expect(try AnnotationTarget(path, isSingle: true) == .file(path))
        }
    }
}
