import FacadeSupport
import Foundation
import MLKit
import Sightline
import SightlineTestSupport
import Testing

/// The findings of ML Kit's face detector here. Tests/Fixtures/README.md has the planted faces.
@Suite(.hangLimit) struct FaceDetectorTests {
    private static func options(change: (FaceDetectorOptions) -> Void = { _ in }) -> FaceDetectorOptions {
        let options = FaceDetectorOptions()
        options.localModel = LocalModel(path: Sample.model("faces"))
        change(options)
        return options
    }

    private static func picture(_ width: Int = 200, _ height: Int = 200) throws -> MLKit.VisionImage {
        try Sample.gray(width, height)
    }

    @Test func allModesAreOffAtFirst() {
        let options = FaceDetectorOptions()
        #expect(options.performanceMode == .fast && options.landmarkMode == .none && options.contourMode == .none)
        #expect(options.classificationMode == .none && options.minFaceSize == 0.1 && !options.isTrackingEnabled)
        #expect(options.localModel == nil)
    }

    @Test func aFaceHasItsBoxAndTheAngleOfItsEyes() async throws {
        let faces = try await FaceDetector.faceDetector(options: Self.options()).process(Self.picture())
        let face = try #require(faces.first)
        #expect(faces.count == 2 && abs(face.frame.width - 80) < 0.1)
        // The planted eyes lie at the same height.
        #expect(face.hasHeadEulerAngleZ && abs(face.headEulerAngleZ) < 0.1)
        #expect(face.landmarks.isEmpty && face.landmark(ofType: .leftEye) == nil)
        #expect(!face.hasTrackingID)
    }

    @Test func aTurnedPictureTurnsTheAngle() async throws {
        // Stored pixels that a camera has turned, and the same upright picture: the model sees a face in both, with eyes side by side.
        let face = Face(
            DetectedObject(
                frame: PixelRect(x: 0, y: 0, width: 100, height: 100),
                confidence: 0.9,
                points: [
                    ObjectPoint(.rightEye, at: PixelPoint(x: 20, y: 60)),
                    ObjectPoint(.leftEye, at: PixelPoint(x: 60, y: 20)),
                ]
            ),
            hasLandmarks: true
        )
        // The left eye, on the right of the picture, is higher: the head leans counterclockwise.
        #expect(abs(face.headEulerAngleZ - 45) < 1e-9)
        #expect(face.landmarks.map(\.type) == [.rightEye, .leftEye])
    }

    @Test func withoutEyesThereIsNoAngle() {
        let face = Face(
            DetectedObject(frame: PixelRect(x: 0, y: 0, width: 1, height: 1), confidence: 1, points: []),
            hasLandmarks: true
        )
        #expect(!face.hasHeadEulerAngleZ && face.headEulerAngleZ == 0)
    }

    @Test func landmarksAreTheSixPointsOfTheModel() async throws {
        let detector = FaceDetector.faceDetector(options: Self.options { $0.landmarkMode = .all })
        let face = try #require(try await detector.process(Self.picture()).first)
        let expected: Set<FaceLandmarkType> = [.leftEye, .rightEye, .noseBase, .mouthBottom, .leftEar, .rightEar]
        #expect(face.landmarks.count == 6 && Set(face.landmarks.map(\.type)) == expected)
        let (left, right) = (face.landmark(ofType: .leftEye), face.landmark(ofType: .rightEye))
        // The left eye of the person is on the right of the picture.
        #expect(try #require(left).position.x > #require(right).position.x)
        #expect(face.landmark(ofType: .leftCheek) == nil)
    }

    @Test func whatNoModelAnswersIsAbsent() async throws {
        let options = Self.options {
            $0.contourMode = .all
            $0.classificationMode = .all
        }
        let face = try #require(try await FaceDetector.faceDetector(options: options).process(Self.picture()).first)
        #expect(face.contours.isEmpty && face.contour(ofType: .face) == nil)
        #expect(!face.hasHeadEulerAngleX && !face.hasHeadEulerAngleY && !face.hasSmilingProbability)
        #expect(!face.hasLeftEyeOpenProbability && !face.hasRightEyeOpenProbability)
    }

    @Test func smallFacesAreLeftOut() async throws {
        // Both faces have 80 of 200 columns.
        for (least, count) in [(0.39, 2), (0.41, 0)] {
            let options = Self.options { $0.minFaceSize = least }
            #expect(try await FaceDetector.faceDetector(options: options).process(Self.picture()).count == count)
        }
    }

    @Test func accurateDetectorsSearchSlicesToo() async throws {
        let options = Self.options {
            $0.performanceMode = .accurate
            $0.minFaceSize = 0
        }
        let picture = try Self.picture(480, 480)
        let fast = try await FaceDetector.faceDetector(options: Self.options()).process(picture)
        let accurate = try await FaceDetector.faceDetector(options: options).process(picture)
        #expect(accurate.count > fast.count)
    }

    @Test func inAStreamFacesKeepTheirIdentity() async throws {
        let detector = FaceDetector.faceDetector(
            options: Self.options {
                $0.isTrackingEnabled = true
                $0.landmarkMode = .all
            }
        )
        var all: [Set<Int>] = []
        for _ in 0..<3 {
            let faces = try await detector.process(Self.picture())
            #expect(faces.count == 2 && faces.allSatisfy { $0.hasTrackingID && $0.landmarks.count == 6 })
            all.append(Set(faces.map(\.trackingID)))
        }
        #expect(Set(all).count == 1 && all.first?.count == 2)
    }

    @Test func aModelWithoutPointsIsAnError() async throws {
        let options = Self.options { $0.localModel = LocalModel(path: Sample.model("ssd")) }
        let error = await #expect(throws: NSError.self) {
            try await FaceDetector.faceDetector(options: options).process(Self.picture())
        }
        #expect(error?.code == 3 && error?.localizedDescription.contains("leftEye") == true)
    }

    @Test func aModelThatIsNotInstalledIsNamed() throws {
        try withTemporaryFolder { folder in
            let environment = ["XDG_DATA_HOME": folder.path]
            let error = #expect(throws: FacadeError.self) {
                try ModelSource.installed("mediapipe-face-front", environment: environment).model()
            }
            #expect("\(String(describing: error))".contains("sightline models install mediapipe-face-front"))
            let place = folder.appending(path: "sightline/models/mediapipe-face-front")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: TestData.fixture("models/faces.tflite"),
                to: place.appending(path: "model.tflite")
            )
            let model = try ModelSource.installed("mediapipe-face-front", environment: environment).model()
            #expect(FileManager.default.fileExists(atPath: model.url.path))
        }
    }

    // MARK: The calls of ML Kit's page "Detect faces with ML Kit on iOS"

    /// An app that takes what the page takes from a face.
    @MainActor private final class App {
        var seen: [String] = []

        func collect(_ faces: [Face]) {
            for face in faces {
                seen.append("\(Int(face.frame.width))")
                if face.hasHeadEulerAngleX { seen.append("x \(face.headEulerAngleX)") }
                if face.hasHeadEulerAngleY { seen.append("y \(face.headEulerAngleY)") }
                if face.hasHeadEulerAngleZ { seen.append("z \(Int(face.headEulerAngleZ.rounded()))") }
                if let leftEye = face.landmark(ofType: .leftEye) { seen.append("eye \(Int(leftEye.position.x))") }
                if let contour = face.contour(ofType: .upperLipBottom) { seen.append("lip \(contour.points.count)") }
                if face.hasSmilingProbability { seen.append("smile \(face.smilingProbability)") }
                if face.hasRightEyeOpenProbability { seen.append("open \(face.rightEyeOpenProbability)") }
                if face.hasTrackingID { seen.append("id \(face.trackingID)") }
            }
        }
    }

    @MainActor @Test func aCallbackGetsTheFacesOnTheMainQueue() async throws {
        let options = Self.options {
            $0.performanceMode = .fast
            $0.landmarkMode = .all
            $0.classificationMode = .all
        }
        let faceDetector = FaceDetector.faceDetector(options: options)
        let (app, image) = (App(), try Self.picture())
        await withCheckedContinuation { continuation in
            faceDetector.process(image) { faces, error in
                if error == nil, let faces = faces, !faces.isEmpty { app.collect(faces) }
                continuation.resume()
            }
        }
        // The larger confidence comes first; both faces have 80 columns, and their left eyes three quarters of them.
        #expect(app.seen.count(where: { $0 == "z 0" }) == 2 && app.seen.count(where: { $0.hasPrefix("eye") }) == 2)
        #expect(app.seen.count == 6)
    }

    @Test func resultsComeWhileTheCallerWaits() async throws {
        let faceDetector = FaceDetector.faceDetector(options: Self.options())
        let image = try Self.picture()
        let count = try await Task.detached { try faceDetector.results(in: image).count }.value
        #expect(count == 2)
    }
}
