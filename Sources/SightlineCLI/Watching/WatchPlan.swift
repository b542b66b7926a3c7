import CommandLineSupport
import DurableFiles
import Sightline
import SightlineMedia
import TextFormatting

/// The streams of a ``WatchFile``, whose models and labels were found.
struct WatchPlan: Sendable {
    /// A camera and its stream.
    struct Camera: Sendable {
        let settings: WatchFile.Camera
        let stream: StreamGroup.Stream
    }

    let file: WatchFile
    let cameras: [Camera]

    /// Reads a file, and finds the models that it names.
    ///
    /// - Throws: an exit code after a message for each mistake.
    static func read(_ path: String) async throws -> WatchPlan {
        try await Task(executorPreference: FileExecutor.shared) {
            let file: WatchFile
            do throws(WatchFile.Failure) {
                file = try WatchFile.read(path)
            } catch .unreadable(let sentence) {
                StandardError.report(sentence)
                throw ExitStatus.failure.code
            } catch .mistakes(let problems) {
                for problem in problems {
                    StandardError.report("\(FileName.printed(path)):\(problem.line): \(problem.text)")
                }
                throw ExitStatus.failure.code
            }
            var cameras: [Camera] = []
            var detectors: [StreamDetector] = []
            var failure: (any Error)?
            for camera in file.cameras {
                do {
                    cameras.append(Camera(settings: camera, stream: try stream(of: camera, with: &detectors)))
                } catch {
                    StandardError.report(
                        "\(FileName.printed(path)):\(camera.line): The camera \(camera.name) cannot be watched."
                    )
                    failure = error
                }
            }
            if let failure { throw failure }
            return WatchPlan(file: file, cameras: cameras)
        }.value
    }

    /// The stream of a camera, whose models can be used.
    ///
    /// - Parameter detectors: the detectors of other cameras, so that each model is tried once.
    private static func stream(
        of camera: WatchFile.Camera,
        with detectors: inout [StreamDetector]
    ) throws -> StreamGroup.Stream {
        let track = camera.track
        let detection = try track.streamDetection()
        let options = track.streamOptions
        if try !detectors.contains(where: { try $0.canServe(detection, options) }) {
            let detector = try loading(track.detector.requestedModels(detection)) {
                try StreamDetector(detection: detection, options: options)
            }
            detectors.append(detector)
        }
        var reading = track.readerOptions
        reading.decodesAllFrames = camera.pictures != nil
        return StreamGroup.Stream(
            camera.name,
            input: VideoInput(track.inputs.first ?? ""),
            reading: reading,
            detection: detection,
            options: options
        )
    }

    /// For example `2 cameras: door, yard`.
    var summary: String {
        "\(NumberText.count(cameras.count, "camera")): " + cameras.map(\.settings.name).joined(separator: ", ")
    }
}
