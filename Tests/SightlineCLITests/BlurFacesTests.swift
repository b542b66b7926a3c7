import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Faces that are found and hidden. The model finds two faces in every picture, whatever it shows.
@Suite(.hangLimit) struct BlurFacesTests {
    private let model = ["--model", TestData.fixture("models/faces.tflite").path]

    private func pixels(_ name: String, in folder: URL) throws -> PixelBuffer {
        try VisionImage(contentsOf: folder.appending(path: name)).upright()
    }

    @Test(arguments: [["--blur", "faces"], ["--blur=faces"], ["--blur-faces"]])
    func facesAreBlurredAndTheRestStays(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": Pictures.stripes(width: 200, height: 200)], in: folder)
            let result = try await Command.run(
                ["detect"] + words + ["a.png", "--annotate", "out.png"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            let picture = try pixels("out.png", in: folder)
            let bytes = try #require(picture.planes.first).data
            func isPlain(_ x: Int, _ y: Int) -> Bool { [0, 255].contains(bytes[(y * 200 + x) * 3]) }
            #expect(!isPlain(80, 60) && !isPlain(150, 140) && isPlain(10, 180) && isPlain(190, 10))
        }
    }

    @Test func turnedPicturesAreTurnedFirst() async throws {
        try await withTemporaryFolder { folder in
            var pictures: Set<Data> = []
            for number in 1...8 {
                let source = TestData.fixture("images/exif-\(number).png").path
                let result = try await Command.run(
                    ["detect", source, "--annotate", "\(number).png", "--blur", "faces"] + model,
                    in: folder
                )
                #expect(result.status == 0, "\(result.errors)")
                pictures.insert(try #require(try pixels("\(number).png", in: folder).planes.first).data)
            }
            #expect(pictures.count == 1)
        }
    }

    @Test func thePointsAreInTheResultsAndDrawn() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": Pictures.png(width: 400, height: 400)], in: folder)
            let detect = ["detect", "a.png", "--annotate", "out.png", "--format", "jsonl"] + model
            let found = try await Command.run(detect, in: folder)
            let line = try #require(found.lines.first)
            #expect(try ResultSchema().problems(Data(line.utf8)) == [])
            struct Found: Decodable { let objects: [DetectedObject] }
            let objects = try JSONDecoder().decode(Found.self, from: Data(line.utf8)).objects
            #expect(objects.map { $0.points?.count } == [6, 6])
            let nose = try #require(objects.last?.points?.first { $0.name == .noseTip }).position
            #expect(abs(nose.x - 300) < 1 && abs(nose.y - 288) < 1)
            // Inside the box there is nothing but the dots.
            let picture = try pixels("out.png", in: folder)
            let bytes = try #require(picture.planes.first).data
            func isDrawn(_ x: Int, _ y: Int) -> Bool {
                bytes[(y * 400 + x) * 3..<(y * 400 + x) * 3 + 3] != Data([0, 0, 0])
            }
            #expect(isDrawn(300, 288) && !isDrawn(300, 265))
        }
    }

    @Test func doubtfulPlacesAreOnTheSheetAndOnlySureOnesAreReported() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["in/a.png": Pictures.stripes(width: 200, height: 200)], in: folder)
            let result = try await Command.run(
                [
                    "detect", "in", "--annotate", "out", "--blur", "faces", "--check", "sheet.png", "--threshold",
                    "0.85",
                    "--format", "jsonl",
                ] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.errors.contains(
                    "sheet.png shows 1 picture to look at: 1 place that may be a face and is visible, and 0 that are hidden"
                ),
                "\(result.errors)"
            )
            let objects = try #require(try result.records().first?["objects"] as? [Any])
            #expect(objects.count == 1)
        }
    }

    @Test(arguments: [["--check", "sheet.png"], []])
    func aModelKeepsItsThreshold(check: [String]) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["in/a.png": Pictures.stripes(width: 200, height: 200)], in: folder)
            let source = TestData.fixture("models/faces.tflite")
            try FileManager.default.copyItem(at: source, to: folder.appending(path: "faces.tflite"))
            let sidecar = folder.appending(path: "faces.sightline.json")
            try Data(#"{"scoreThreshold": 0.85}"#.utf8).write(to: sidecar)
            let command = ["--blur", "faces", "--model", "faces.tflite", "--format", "jsonl"] + check
            let picture = try await Command.run(["detect", "in", "--annotate", "out"] + command, in: folder)
            #expect(try #require(try picture.records().first?["objects"] as? [Any]).count == 1, "\(picture.errors)")
        }
    }

    @Test func theSheetShowsWhatMayBeVisible() async throws {
        try await withTemporaryFolder { folder in
            let sheet = CheckSheet(path: folder.appending(path: "sheet.png").path, threshold: 0.3)
            #expect(abs(sheet.leastConfidence - 0.225) < 1e-6)
            try Pictures.write(["a.png": Pictures.stripes(width: 300, height: 200)], in: folder)
            let path = folder.appending(path: "a.png").path
            // The last lies inside a hidden one, so that nobody can see it.
            let objects = [(Float(0.9), 10.0), (0.4, 100), (0.2, 200), (0.2, 12)].map { confidence, x in
                DetectedObject(frame: PixelRect(x: x, y: 50, width: 40, height: 40), confidence: confidence)
            }
            let result = DetectionResult(objects: objects, size: PixelSize(width: 300, height: 200))
            #expect(sheet.reported(result, in: path, named: "a.png").objects.map(\.confidence) == [0.9, 0.4])
            try await sheet.write()
            let picture = try pixels("sheet.png", in: folder)
            // The picture and two places, in one row.
            #expect(picture.width == 3 * 208 + 8 && picture.height == 244)
        }
    }

    @Test func theSheetShowsTheEndOfALongPath() async throws {
        try await withTemporaryFolder { folder in
            let sheet = CheckSheet(path: folder.appending(path: "sheet.png").path, threshold: 0.2)
            try Pictures.write(["a.png": Pictures.stripes(width: 200, height: 200)], in: folder)
            let object = DetectedObject(frame: PixelRect(x: 10, y: 10, width: 40, height: 40), confidence: 0.3)
            let result = DetectionResult(objects: [object], size: PixelSize(width: 200, height: 200))
            for name in ["1.png", "2.png"] {
                let path = folder.appending(path: "a.png").path
                let name = String(repeating: "a long name of a folder/", count: 20) + name
                _ = sheet.reported(result, in: path, named: name)
            }
            try await sheet.write()
            let plane = try #require(try pixels("sheet.png", in: folder).planes.first)
            // The pictures are the same; the captions below them are not.
            func rows(_ range: Range<Int>) -> Data {
                plane.data[range.lowerBound * plane.bytesPerRow..<range.upperBound * plane.bytesPerRow]
            }
            #expect(rows(8..<208) == rows(244..<444))
            #expect(rows(208..<236) != rows(444..<472))
        }
    }

    @Test(arguments: [[], ["--offline"]]) func theMomentsOfAVideoAreOnTheSheet(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            for number in 1...9 {
                try Pictures.write(["in/\(number).png": Pictures.stripes(width: 200, height: 200)], in: folder)
            }
            let result = try await Command.run(
                [
                    "track", "in", "--annotate", "out.mp4", "--blur", "faces", "--check", "sheet.png", "--threshold",
                    "0.85", "--format", "jsonl",
                ] + words + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            // The second face is in all frames, and one moment.
            #expect(
                result.errors.contains(
                    "sheet.png shows 1 moment to look at: 1 place that may be a face and is visible, and 0 that are hidden"
                ),
                "\(result.errors)"
            )
            let picture = try pixels("sheet.png", in: folder)
            #expect(picture.width == 2 * 208 + 8 && picture.height == 244)
            // The sheet changes nothing in the results.
            let objects = try result.records().compactMap { $0["objects"] as? [Any] }
            #expect(objects.count == 9 && objects.allSatisfy { $0.count <= 1 } && objects.last?.count == 1)
        }
    }

    @Test func oneSheetIsForAllVideos() async throws {
        try await withTemporaryFolder { folder in
            let video = TestData.fixture("videos/h264-aac.mp4")
            for name in ["a.mp4", "b.mp4"] {
                try FileManager.default.copyItem(at: video, to: folder.appending(path: name))
            }
            let result = try await Command.run(
                [
                    "track", "a.mp4", "b.mp4", "--annotate", "out", "--blur", "faces", "--check", "sheet.jpg",
                    "--threshold", "0.85",
                ] + model,
                in: folder
            )
            #expect(result.status == 0 && result.errors.contains("sheet.jpg shows 2 moments"), "\(result.errors)")
        }
    }

    @Test func whatIsFoundWithMuchConfidenceIsNotOnTheSheetOfAVideo() async throws {
        let sheet = MomentSheet(path: "sheet.png", threshold: 0.2, namesVideos: false)
        let image = try VisionImage(data: Pictures.stripes(width: 300, height: 200))
        func add(_ seconds: Double, _ confidence: Float, id: Int?, x: Double = 100, isLeftOver: Bool = false) throws {
            var result = StreamResult(timestamp: .seconds(seconds), index: 0, size: image.size, objects: [])
            let frame = PixelRect(x: x, y: 50, width: 30, height: 30)
            var object = DetectedObject(frame: frame, confidence: confidence)
            if let id {
                let state = Track.State.confirmed(id: id)
                object.track = Track(state: state, firstSeen: .zero, lastSeen: .zero, age: .zero, isDetected: true)
            }
            var hidden = CoverPlanner.HiddenParts()
            if isLeftOver {
                result.leftOver = [object]
                // Covered by another object.
                hidden.covers = [PixelRect(x: 0, y: 0, width: 80, height: 200)]
            } else if id == nil {
                result.tentative = [object]
            } else {
                result.objects = [object]
            }
            try sheet.add(result, hidden, drawn: image, video: "a.mp4")
        }
        // A face that comes nearer, first without an identity.
        try add(0, 0.3, id: nil)
        try add(0.1, 0.4, id: 1)
        try add(0.2, 0.7, id: 1)
        try add(0.3, 0.3, id: 1)
        // A doubtful place that a hidden object covers.
        try add(0.4, 0.18, id: nil, x: 10, isLeftOver: true)
        #expect(sheet.moments.isEmpty)
        // A visible one in three frames, and again later.
        for seconds in [1, 1.1, 1.2, 5] { try add(seconds, 0.18, id: nil, x: 200, isLeftOver: true) }
        try add(6, 0.4, id: 2)
        #expect(sheet.moments.map(\.isHidden) == [false, false, true])
        #expect(sheet.moments.map { $0.time } == [.seconds(1), .seconds(5), .seconds(6)])
    }

    @Test(arguments: [
        (["--check", "sheet.png"], "--check belongs to --blur faces"),
        (["--blur", "faces"], "add --annotate"),
        (["--blur", "faces", "--check", "sheet.gif", "--annotate", "o.png"], "gif"),
        (["--blur", "faces", "--draw", "box", "--annotate", "o.png"], "Give either --draw or --blur"),
    ])
    func optionsThatDoNotFitAreRefused(words: [String], sentence: String) async throws {
        let result = try await Command.run(["detect", "a.png"] + words)
        #expect(result.status == 64 && result.errors.contains(sentence), "\(result.errors)")
    }

    @Test func withoutANetworkASentenceHasTheCommand() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": Pictures.png()], in: folder)
            let data = folder.appending(path: "data")
            try Command.linkRuntime(into: data.appending(path: "sightline"))
            let result = try await Command.run(
                ["detect", "a.png", "--annotate", "o.png", "--blur", "faces"],
                in: folder,
                environment: ["XDG_DATA_HOME": data.path, "https_proxy": "http://127.0.0.1:1"]
            )
            #expect(result.status == 2)
            #expect(result.errors.contains("Installing ultra-light-face-320 (1.2 MB, MIT) of Linzaer"))
            #expect(result.errors.contains("`sightline models install ultra-light-face-320 --from FILE` installs it."))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "o.png").path))
        }
    }

    @Test func facesOfAVideoStayHiddenBetweenDetections() async throws {
        try await withTemporaryFolder { folder in
            var frames: [String: Data] = [:]
            for number in 10..<22 { frames["frames/\(number).png"] = try Pictures.stripes(width: 200, height: 200) }
            try Pictures.write(frames, in: folder)
            let result = try await Command.run(
                ["track", "frames", "--annotate", "out/%02d.png", "--blur", "faces", "--every", "3"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "out").path)
            #expect(names.count == 12)
            for name in names {
                let bytes = try #require(try pixels("out/\(name)", in: folder).planes.first).data
                #expect(
                    ![0, 255].contains(bytes[(60 * 200 + 80) * 3]) && [0, 255].contains(bytes[(190 * 200 + 10) * 3]),
                    "\(name)"
                )
            }
        }
    }

    @Test func picturesOfEventsHideFacesAndShowTheObjects() async throws {
        try await withTemporaryFolder { folder in
            var settings = StreamDesk.Settings(camera: "door", history: StreamHistory())
            settings.pictures = EventPictureFolder.Options(folder: folder.appending(path: "pictures").path)
            settings.faces = try FaceHider(LocalModel(url: TestData.fixture("models/faces.tflite")))
            let desk = StreamDesk(settings, destinations: nil)
            await desk.connect(isLive: true)
            let image = try VisionImage(data: Pictures.stripes(width: 200, height: 200))
            let result = StreamResult(
                timestamp: .zero,
                index: 0,
                size: image.size,
                objects: [
                    DetectedObject(
                        frame: PixelRect(x: 2, y: 2, width: 26, height: 60),
                        confidence: 0.9,
                        track: Track(state: .confirmed(id: 1), firstSeen: .zero, lastSeen: .zero, isDetected: true)
                    )
                ]
            )
            let happening = await desk.add(result, frame: VideoFrame(image: image, timestamp: .zero, index: 0))
            #expect(happening.pictureFailure == nil)
            try await desk.finish()
            let pictures = folder.appending(path: "pictures")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: pictures.path).first)
            let bytes = try #require(try pixels("pictures/\(name)", in: folder).planes.first).data
            func contrast(_ x: Int, _ y: Int) -> Int {
                let values = (x..<x + 8).map { Int(bytes[(y * 200 + $0) * 3]) }
                return (values.max() ?? 0) - (values.min() ?? 0)
            }
            #expect(contrast(80, 60) < 60 && contrast(10, 40) > 150)
        }
    }

    @Test(arguments: [
        (
            "blur: true, pictures: p",
            "cameras.yaml:2: The entry blur hides faces in the pictures of events; write blur: faces."
        ),
        ("blur: faces", "cameras.yaml:2: The camera door has no pictures in which blur could hide faces"),
        ("blur-faces: true", "has no entry blur-faces"),
    ])
    func aMistakeInAFileOfCamerasHasItsLine(entries: String, sentence: String) async throws {
        try await withTemporaryFolder { folder in
            let text = "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/\", model: \(Command.detector), \(entries)}\n"
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            let result = try await Command.run(["watch", "cameras.yaml", "--check"], in: folder)
            #expect(result.status == 2 && result.errors.contains(sentence), "\(result.errors)")
        }
    }

    @Test func aCameraWithBlurIsRead() throws {
        try withTemporaryFolder { folder in
            let text =
                "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/\", pictures: p, blur: faces}\n  yard: {input: a.mp4}\n"
            let file = folder.appending(path: "cameras.yaml")
            try Data(text.utf8).write(to: file)
            let cameras = try WatchFile.read(file.path).cameras
            #expect(cameras.map(\.hidesFaces) == [true, false])
            #expect(cameras.allSatisfy { !$0.words.contains { $0.contains("blur") } })
        }
    }
}
