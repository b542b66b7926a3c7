import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// The reading of command lines.
@Suite(.hangLimit)
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
            "--slice",
            "640",
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
        #expect(command.detector.model.model == "m.tflite")
        #expect(command.detector.classifier == "c.tflite")
        #expect(command.detector.model.labels == "l.txt")
        #expect(try command.detector.scoreThresholds.usual == 0.25)
        #expect(command.detector.classificationThreshold.map(\.value) == [0.5])
        #expect(command.detector.iouThreshold == 0.75)
        #expect(command.detector.maxObjects == 7)
        #expect(command.detector.maxLabels == 3)
        #expect(command.detector.single)
        #expect(command.detector.region.roi?.rect == PixelRect(x: 1, y: 2, width: 3.5, height: 4))
        #expect(command.detector.slicing.slices == PictureSlices(pixels: 640))
        #expect(command.concurrency.forPictures.threads == 2)
        #expect(command.concurrency.forPictures.workers == 3)
        #expect(command.output.resultFormat(default: .table) == .csv)
        #expect(command.detector.filter.allow == ["cat", "tench, Tinca"])
        #expect(command.detector.filter.deny == ["dog"])
    }

    @Test(arguments: [
        ["detect"], ["detect", "a.jpg", "--stdin"], ["detect", "a.jpg", "--threshold", "1.5"],
        ["detect", "a.jpg", "--threshold", "nan"], ["detect", "a.jpg", "--max-objects", "0"],
        ["detect", "a.jpg", "--workers", "0"], ["detect", "a.jpg", "--threads", "-1"],
        ["detect", "a.jpg", "--roi", "1,2,3"], ["detect", "a.jpg", "--roi", "1,2,0,4"],
        ["detect", "a.jpg", "--slice", "0"], ["track", "a.mp4", "--slice", "31"],
        ["evaluate", "boxes", "a.json", "--detections", "b.json", "--slice", "640"],
        ["detect", "a.jpg", "--roi", "1,2,nan,4"], ["detect", "a.jpg", "--format", "xml"],
        ["detect", "a.jpg", "--format", "mot"], ["detect", "a.jpg", "--format", "yolo"], ["detect", "a.jpg", "--blur"],
        ["detect", "a.jpg", "--annotate", "b.png", "--draw", "stars"], ["label", "a.jpg", "--format", "coco"],
        ["label", "a.jpg", "--fit", "letterbox"],
        ["detect", "a.jpg", "--labels", "l.txt"], ["label", "a.jpg", "--labels", "l.txt"],
        ["inspect", "--labels", "l.txt"], ["find"],
    ])
    func refusesACommandLineThatMakesNoSense(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try SightlineCommand.parseAsRoot(arguments) }
        #expect(error.map { SightlineCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test func writesJSONLinesWhenPathsComeOnStandardInputUnlessToldOtherwise() throws {
        func format(_ arguments: String...) throws -> ResultFormat {
            let command = try #require(try SightlineCommand.parseAsRoot(["detect"] + arguments) as? DetectCommand)
            return command.output.resultFormat(default: command.pictures.defaultFormat)
        }
        #expect(try format("--stdin") == .jsonLines)
        #expect(try format("--stdin", "--format", "csv") == .csv)
        #expect(try format("a.jpg") == .table)
        #expect(try format("a.jpg", "--output", "found.json") == .json)
        #expect(try format("a.jpg", "--output", "found.json", "--format", "coco") == .coco)
    }

    @Test func picturesAndVideosHaveTheSameDetectorOptions() throws {
        let arguments = [
            "a", "--roi", "1,2,3,4", "--fit", "crop", "--iou-threshold", "0.5", "--classification-threshold", "0.25",
            "--max-labels", "2", "--max-objects", "3", "--threshold", "0.75", "--single",
            "--slice", "320",
        ]
        let track = try #require(try SightlineCommand.parseAsRoot(["track"] + arguments) as? TrackCommand)
        let detect = try #require(try SightlineCommand.parseAsRoot(["detect"] + arguments) as? DetectCommand)
        #expect(try track.detector.options() == detect.detector.options())
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
