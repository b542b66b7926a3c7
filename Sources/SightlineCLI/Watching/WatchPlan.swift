import ArgumentParser
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
        /// Finds the faces that are hidden in pictures of events, for all cameras; nil to hide none.
        let faces: FaceHider?
        /// The things whose states are read, with labelers that cameras share.
        let things: [WatchedThing]
    }

    /// The reasons why a file cannot be watched.
    struct Failure: Error, Equatable {
        /// The reasons as sentences for people, each once.
        var messages: [String]
        /// Whether the same file may be watched later, for example once a model is there.
        var mayPass = false

        /// Writes the reasons on standard error.
        func report() { messages.forEach(StandardError.report) }
    }

    let file: WatchFile
    let cameras: [Camera]
    /// Sentences about files and folders of the file that cannot be used now.
    let problems: [String]
    /// Whether files and folders of the file cannot be written now.
    let hasUnwritablePlaces: Bool

    /// Reads a file, and compiles the models that it names.
    ///
    /// - Parameters:
    ///   - workers: the number of frames that each model analyzes at the same time.
    ///   - earlier: the previous plan, whose models are used again.
    static func read(
        _ path: String,
        workers: Int,
        earlier: WatchPlan? = nil
    ) async throws(Failure) -> WatchPlan {
        let result = await Task(executorPreference: FileExecutor.shared) { () -> Result<WatchPlan, Failure> in
            do throws(Failure) {
                return .success(try WatchPlan(path, workers: workers, earlier: earlier))
            } catch {
                return .failure(error)
            }
        }.value
        return try result.get()
    }

    /// The number of mistakes that are written: another kind of file has one in each line.
    private static let mostMistakes = 50

    private init(_ path: String, workers: Int, earlier: WatchPlan?) throws(Failure) {
        func sentence(_ line: Int, _ text: String) -> String { "\(FileName.printed(path)):\(line): \(text)" }
        do throws(WatchFile.Failure) {
            file = try WatchFile.read(path)
            let problems = file.outputProblems(path: path)
            if !problems.isEmpty { throw .mistakes(problems) }
        } catch {
            switch error {
            case .unreadable(let reason): throw Failure(messages: [reason])
            case .mistakes(let problems):
                var messages = problems.prefix(Self.mostMistakes).map { sentence($0.line, $0.text) }
                let rest = problems.count - messages.count
                if rest > 0 {
                    let count = NumberText.grouped(rest, "further mistake")
                    messages.append("\(FileName.printed(path)) has \(count); correct these first.")
                }
                throw Failure(messages: messages)
            }
        }
        var cameras: [Camera] = []
        // Cameras often share their reason, such as a missing library.
        var failures: [(reason: [String], cameras: [String])] = []
        var mayPass = true
        let labelers = ThingLabelers(earlier?.cameras.flatMap(\.things) ?? [])
        for camera in file.cameras {
            let others = cameras.map(\.detector) + (earlier?.cameras.map(\.detector) ?? [])
            let faces = (cameras + (earlier?.cameras ?? [])).lazy.compactMap(\.faces).first
            do throws(Unusable) {
                cameras.append(try Camera(camera, workers: workers, beside: others, hiding: faces, labelers))
            } catch {
                if !error.mayPass { mayPass = false }
                let text = sentence(camera.line, "The camera \(camera.name) cannot be watched.")
                if let index = failures.firstIndex(where: { $0.reason == error.messages }) {
                    failures[index].cameras.append(text)
                } else {
                    failures.append((error.messages, [text]))
                }
            }
        }
        guard failures.isEmpty else {
            throw Failure(messages: failures.flatMap { $0.reason + $0.cameras }, mayPass: mayPass)
        }
        self.cameras = cameras
        problems = file.places.compactMap(\.problem).map { sentence($0.line, $0.text) }
        hasUnwritablePlaces = file.places.contains { !$0.isInput && $0.problem != nil }
    }

    /// The reasons why a camera cannot be watched.
    fileprivate struct Unusable: Error {
        var messages: [String]
        /// Whether the reason lies outside of the file of cameras.
        var mayPass: Bool
    }

    /// Sentences about the cameras that are outside of their schedules at a date, by the names of the cameras.
    func sleepers(at date: Date) -> [String: String] {
        let asleep = cameras.filter { !$0.settings.isActive(at: date) }.map { camera in
            let next = camera.settings.schedule?.nextStart(after: date)
            let time = next.map { " until \(LogTime.text($0))" } ?? ""
            return (camera.settings.name, "\(camera.settings.name): paused outside of its schedule\(time)")
        }
        return Dictionary(asleep) { $1 }
    }

    /// Whether another plan has the same camera, with the same stream and models of states.
    func contains(_ camera: Camera) -> Bool {
        cameras.contains { known in
            known.stream == camera.stream && known.settings.isSame(as: camera.settings)
                && known.things.elementsEqual(camera.things) { $0.labeler === $1.labeler }
        }
    }

    /// The names of the cameras.
    var names: Set<String> { Set(cameras.map(\.settings.name)) }

    /// For example `2 cameras: door, yard`.
    var summary: String {
        "\(NumberText.count(cameras.count, "camera")): " + cameras.map(\.settings.name).joined(separator: ", ")
    }
}

extension WatchPlan.Camera {
    /// Finds the model of a camera, and compiles it unless another detector has it.
    fileprivate init(
        _ camera: WatchFile.Camera,
        workers: Int,
        beside others: [StreamDetector],
        hiding faces: FaceHider?,
        _ labelers: ThingLabelers
    ) throws(WatchPlan.Unusable) {
        let (result, messages) = StandardError.collectingMessages {
            let stream = try Self.stream(of: camera)
            let detector = try loading(camera.track.detector.requestedModels(stream.detection)) {
                try StreamGroup.detector(for: stream, workers: workers, beside: others)
            }
            try camera.track.checkPoints(of: detector)
            let hider = camera.hidesFaces ? try faces ?? FaceHider() : nil
            let things = try labelers.things(camera.track.state)
            return Self(settings: camera, stream: stream, detector: detector, faces: hider, things: things)
        }
        do {
            self = try result.get()
            // For example that a model was installed.
            messages.forEach(StandardError.report)
        } catch {
            // The file contains words that no command line may have.
            let mayPass = error as? ExitCode != ExitStatus.usage.code
            let reason = error is ExitCode ? [] : [sentence(for: error)]
            throw WatchPlan.Unusable(messages: messages + reason, mayPass: mayPass)
        }
    }

    private static func stream(of camera: WatchFile.Camera) throws -> StreamGroup.Stream {
        let track = camera.track
        var reading = track.readerOptions
        reading.decodesAllFrames = camera.pictures != nil || track.readsStatesOfAllFrames
        return StreamGroup.Stream(
            camera.name,
            input: VideoInput(track.inputs.first ?? ""),
            reading: reading,
            detection: try track.streamDetection(),
            options: track.streamOptions
        )
    }
}
