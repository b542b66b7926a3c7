import Foundation
import MLKit
import Sightline
import SightlineTestSupport
import Testing

/// The findings of ML Kit's pose detector here. Tests/Fixtures/README.md has the models.
@Suite(.hangLimit) struct PoseDetectorTests {
    private static func detector(_ model: String = "movenet_one", accurate: Bool = false) -> PoseDetector {
        let options: CommonPoseDetectorOptions = accurate ? AccuratePoseDetectorOptions() : PoseDetectorOptions()
        options.localModel = LocalModel(path: Sample.model(model))
        options.detectorMode = .singleImage
        return .poseDetector(options: options)
    }

    private static func picture() throws -> MLKit.VisionImage { try Sample.gray(1000, 1000) }

    @Test func streamsAreTheDefault() {
        #expect(PoseDetectorOptions().detectorMode == .stream && AccuratePoseDetectorOptions().detectorMode == .stream)
        #expect(PoseDetectorOptions().localModel == nil)
    }

    @Test(arguments: [false, true]) func aPoseHasTheSeventeenPointsOfTheModel(accurate: Bool) async throws {
        let poses = try await Self.detector(accurate: accurate).process(Self.picture())
        let pose = try #require(poses.first)
        #expect(poses.count == 1 && pose.landmarks.count == 17)
        let ankle = pose.landmark(ofType: .leftAnkle)
        #expect(abs(ankle.position.x - 525.844) < 0.1 && abs(ankle.position.y - 826.326) < 0.1)
        #expect(ankle.position.z == 0 && abs(ankle.inFrameLikelihood - 0.656317) < 1e-5 && ankle.type == .leftAnkle)
    }

    @Test func aLandmarkThatNoModelGivesIsNotInTheFrame() async throws {
        let pose = try #require(try await Self.detector().process(Self.picture()).first)
        for type in [PoseLandmarkType.leftHeel, .rightToe, .mouthLeft, .leftThumb, .rightEyeOuter] {
            #expect(pose.landmark(ofType: type).inFrameLikelihood == 0 && pose.landmark(ofType: type).type == type)
        }
    }

    @Test func allBodiesOfAModelForSeveralAreReported() async throws {
        #expect(try await Self.detector("movenet_several").process(Self.picture()).count == 2)
        #expect(try await Self.detector("yolo_points").process(Self.picture()).first?.landmarks.count == 17)
    }

    @Test(arguments: ["faces", "yolov8_ultralytics"]) func aModelWithoutBodiesIsAnError(model: String) async throws {
        let error = await #expect(throws: NSError.self) { try await Self.detector(model).process(Self.picture()) }
        #expect(error?.code == 3 && error?.localizedDescription.contains("leftShoulder") == true)
    }

    // MARK: The calls of ML Kit's page "Detect poses with ML Kit on iOS"

    @MainActor @Test func aCallbackGetsThePosesOnTheMainQueue() async throws {
        let (poseDetector, image) = (Self.detector(), try Self.picture())
        let likelihoods = await withCheckedContinuation { (continuation: CheckedContinuation<[Float], Never>) in
            poseDetector.process(image) { detectedPoses, error in
                guard error == nil, let detectedPoses = detectedPoses, !detectedPoses.isEmpty else {
                    return continuation.resume(returning: [])
                }
                var found: [Float] = []
                for pose in detectedPoses {
                    let leftAnkleLandmark = pose.landmark(ofType: .leftAnkle)
                    if leftAnkleLandmark.inFrameLikelihood > 0.5 { found.append(leftAnkleLandmark.inFrameLikelihood) }
                }
                continuation.resume(returning: found)
            }
        }
        #expect(likelihoods.count == 1)
    }

    @Test func resultsComeWhileTheCallerWaits() async throws {
        let (detector, image) = (Self.detector(), try Self.picture())
        let angle = try await Task.detached {
            let results = try detector.results(in: image)
            guard let pose = results.first else { return 0.0 }
            // The angle at the knee, as the page's tips compute it.
            let points = [PoseLandmarkType.leftHip, .leftKnee, .leftAnkle].map { pose.landmark(ofType: $0).position }
            let (a, b) = (
                atan2(points[2].y - points[1].y, points[2].x - points[1].x),
                atan2(points[0].y - points[1].y, points[0].x - points[1].x)
            )
            return abs(Double(a - b)) * 180 / .pi
        }.value
        #expect((1..<360).contains(angle))
    }
}
