import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import Synchronization
import TextFormatting

/// Collects moments of a recording for the labels of a thing, and trains its labeler. The page asks for the progress.
final class MomentCollector: Sendable {
    /// The present step, as the page reads it.
    struct Progress: Encodable, Sendable {
        enum Stage: String, Encodable { case idle, reading, ready, training, trained, failed }
        struct Shown: Encodable, Sendable {
            let id: Int
            let time: String
            let brightness: Int
        }
        var stage = Stage.idle
        /// The share that is done, 0…1.
        var done = 0.0
        var message = ""
        var moments: [Shown] = []
        /// Sentences about the trained model.
        var figures: [String] = []
        var yaml = ""
    }

    /// The request for moments.
    struct Search: Decodable {
        let region: [Double]
        var more = false
    }

    /// The request for a training.
    struct Lesson: Decodable {
        let name: String
        let labels: [String: String]
    }

    private struct State {
        var progress = Progress()
        var region: PixelRect?
        var moments: [Moment] = []
        var chosen: [Int] = []
        var task: Task<Void, Never>?
    }

    private let input: VideoInput
    private let recording: String
    private let folder: URL
    private let start: String?
    private let state = Mutex(State())

    /// The largest number of moments that are compared, and the number that is shown at a time.
    private static let (mostMoments, shownCount) = (1200, 20)

    /// - Parameters:
    ///   - input: a recording, which can be read again.
    ///   - recording: its name, for the names of examples.
    ///   - folder: the folder of models.
    ///   - start: the network from which a training starts; nil for the usual one.
    init(_ input: VideoInput, named recording: String, folder: URL, start: String?) {
        (self.input, self.recording, self.folder, self.start) = (input, recording, folder, start)
    }

    /// The present step as JSON.
    var progress: Data { (try? JSONEncoder().encode(state.withLock(\.progress))) ?? Data() }

    /// The picture of a moment.
    func picture(_ id: Int) -> Data? {
        state.withLock { $0.moments.indices.contains(id) ? $0.moments[id].picture : nil }
    }

    /// Ends what runs.
    func cancel() { state.withLock { $0.task?.cancel() } }

    // MARK: Moments

    /// Begins to look for moments; shows others of the same region if that was read.
    func search(_ search: Search) {
        guard search.region.count == 4, search.region.allSatisfy(\.isFinite), search.region[2] > 0, search.region[3] > 0
        else { return fail("The zone has no area; draw another.") }
        let region = PixelRect(
            x: search.region[0],
            y: search.region[1],
            width: search.region[2],
            height: search.region[3]
        )
        state.withLock { state in
            guard state.progress.stage != .reading, state.progress.stage != .training else { return }
            if search.more, state.region == region, !state.moments.isEmpty { return Self.choose(&state) }
            (state.region, state.moments, state.chosen) = (region, [], [])
            state.progress = Progress(stage: .reading)
            state.task = Task { await self.read(region) }
        }
    }

    private func read(_ region: PixelRect) async {
        do {
            var options = VideoReaderOptions()
            let length = try VideoReader(input: input).info.duration.map { $0 / .seconds(1) }
            options.maximumFrameRate = min(5, Double(Self.mostMoments) / max(length ?? 600, 1))
            let reader = try VideoReader(input: input, options: options)
            var moments: [Moment] = []
            for try await frame in reader.frames(decodingAhead: 1) where !frame.isDamaged {
                guard moments.count < Self.mostMoments, !Task.isCancelled else { break }
                guard let moment = try Moment(region, of: frame) else {
                    return fail("The zone lies outside the picture; draw another.")
                }
                moments.append(moment)
                if let length { show(min(moment.time / .seconds(1) / length, 1)) }
            }
            state.withLock { [moments] state in
                state.moments = moments
                Self.choose(&state)
            }
        } catch {
            fail(sentence(for: error))
        }
    }

    private static func choose(_ state: inout State) {
        let before = state.chosen.count
        state.chosen = Moment.mostDifferent(of: state.moments, count: shownCount, after: state.chosen)
        let chosen = state.chosen
        state.progress.stage = .ready
        state.progress.moments = chosen.map { place in
            let moment = state.moments[place]
            return Progress.Shown(
                id: place,
                time: ClockText.text(moment.time),
                brightness: Int(moment.brightness.rounded())
            )
        }
        let found = NumberText.count(chosen.count - before, "moment")
        state.progress.message =
            chosen.count == before
            ? "No other moment of the recording differs."
            : "\(found) of \(state.moments.count) differ most. Click the label of each; leave out what is not clear."
    }

    // MARK: Training

    /// Begins a training.
    func train(_ lesson: Lesson) {
        guard lesson.name.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
            return fail("The zone's name becomes a folder; rename the zone with English letters, digits, - and _.")
        }
        guard lesson.labels.values.allSatisfy({ $0.wholeMatch(of: /[\p{L}\p{N}_-][\p{L}\p{N} _-]{0,39}/) != nil })
        else {
            return fail("A label has at most 40 letters, digits, spaces, - and _.")
        }
        state.withLock { state in
            guard state.progress.stage != .reading, state.progress.stage != .training, let region = state.region else {
                return
            }
            let examples = lesson.labels.compactMap { id, label -> StateTraining.Example? in
                guard let place = Int(id), state.moments.indices.contains(place) else { return nil }
                return StateTraining.Example(moment: state.moments[place], label: label)
            }
            (state.progress.stage, state.progress.done, state.progress.message) = (.training, 0, "")
            (state.progress.figures, state.progress.yaml) = ([], "")
            let training = StateTraining(
                name: lesson.name,
                region: region,
                recording: recording,
                folder: folder,
                start: start
            )
            state.task = Task { await self.run(training, examples) }
        }
    }

    private func run(_ training: StateTraining, _ examples: [StateTraining.Example]) async {
        do throws(InputError) {
            let made = try await training.run(examples) { self.show($0) }
            state.withLock { state in
                state.progress.stage = .trained
                (state.progress.figures, state.progress.yaml) = (made.figures, made.yaml)
                state.progress.message = "The model is in \(made.folder)."
            }
        } catch {
            fail(error.reason)
        }
    }

    private func show(_ done: Double) { state.withLock { $0.progress.done = done } }

    private func fail(_ sentence: String) {
        state.withLock { ($0.progress.stage, $0.progress.message) = (.failed, sentence) }
    }
}
