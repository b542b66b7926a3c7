import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// The streams of a ``WatchFile``, whose models and labels were found.
struct WatchPlan: Sendable {
    /// A camera and its stream.
    struct Camera: Sendable {
        let settings: WatchFile.Camera
        let stream: StreamGroup.Stream
        /// The detector of the stream, which shares its models with those of other cameras.
        let detector: StreamDetector
    }

    let file: WatchFile
    let cameras: [Camera]
    /// Whether files and folders of the file cannot be written now.
    let hasUnwritablePlaces: Bool

    /// Reads a file, and compiles the models that it names.
    ///
    /// - Parameters:
    ///   - workers: the number of frames that each model analyzes at the same time.
    ///   - earlier: the plan of before, whose models are used again.
    /// - Throws: an exit code after a message for each mistake.
    static func read(_ path: String, workers: Int, earlier: WatchPlan? = nil) async throws -> WatchPlan {
        try await Task(executorPreference: FileExecutor.shared) {
            let file: WatchFile
            do throws(WatchFile.Failure) {
                file = try WatchFile.read(path)
                let problems = file.outputProblems(path: path)
                if !problems.isEmpty { throw .mistakes(problems) }
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
            var isComplete = true
            for camera in file.cameras {
                do {
                    let others = cameras.map(\.detector) + (earlier?.cameras.map(\.detector) ?? [])
                    let stream = try stream(of: camera)
                    let detector = try loading(camera.track.detector.requestedModels(stream.detection)) {
                        try StreamGroup.detector(for: stream, workers: workers, beside: others)
                    }
                    cameras.append(Camera(settings: camera, stream: stream, detector: detector))
                } catch {
                    StandardError.report(
                        "\(FileName.printed(path)):\(camera.line): The camera \(camera.name) cannot be watched."
                    )
                    isComplete = false
                }
            }
            guard isComplete else { throw ExitStatus.failure.code }
            let problems = file.places.compactMap(\.problem)
            for problem in problems {
                StandardError.report("\(FileName.printed(path)):\(problem.line): \(problem.text)")
            }
            return WatchPlan(
                file: file,
                cameras: cameras,
                hasUnwritablePlaces: file.places.contains { !$0.isInput && $0.problem != nil }
            )
        }.value
    }

    private static func stream(of camera: WatchFile.Camera) throws -> StreamGroup.Stream {
        let track = camera.track
        var reading = track.readerOptions
        reading.decodesAllFrames = camera.pictures != nil
        return StreamGroup.Stream(
            camera.name,
            input: VideoInput(track.inputs.first ?? ""),
            reading: reading,
            detection: try track.streamDetection(),
            options: track.streamOptions
        )
    }

    /// Sentences about the cameras that are outside of their schedules at a date, by the names of the cameras.
    func sleepers(at date: Date) -> [String: String] {
        let asleep = cameras.filter { !$0.settings.isActive(at: date) }.map { camera in
            let next = camera.settings.schedule?.nextStart(after: date)
            let time = next.map { " until \(LogTime.text($0))" } ?? ""
            return (camera.settings.name, "\(camera.settings.name): outside of its schedule, it sleeps\(time)")
        }
        return Dictionary(asleep) { $1 }
    }

    /// For example `2 cameras: door, yard`.
    var summary: String {
        "\(NumberText.count(cameras.count, "camera")): " + cameras.map(\.settings.name).joined(separator: ", ")
    }
}
