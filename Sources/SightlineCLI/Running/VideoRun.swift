import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// Reads a video, detects and tracks its objects, draws them and writes the results.
struct VideoRun {
    private let arguments: TrackCommand
    private let video: VideoList.Video
    /// Shows what is doubtful; nil if nobody asked for it.
    private let sheet: MomentSheet?
    /// Whether other videos wait for the end of this one.
    private let isOneOfSeveral: Bool
    private var name: String { video.printedName }

    init(
        _ arguments: TrackCommand,
        _ video: VideoList.Video,
        _ sheet: MomentSheet? = nil,
        isOneOfSeveral: Bool = false
    ) {
        (self.arguments, self.video, self.sheet, self.isOneOfSeveral) = (arguments, video, sheet, isOneOfSeveral)
    }

    /// The reason why a run ended early.
    private enum Interruption {
        /// The rest of the input cannot be read.
        case reading(any Error)
        /// Results cannot be written.
        case writing(any Error)
    }

    /// Tracks all objects and writes the results.
    ///
    /// - Parameter detection: the options of the detector, except threads and workers.
    /// - Returns: the end of the reading, after a message if the input is not done.
    /// - Throws: an exit code after a message, for a problem that other videos would have too.
    func run(_ detection: ObjectDetectorOptions) async throws -> ExitStatus {
        let reader: VideoReader
        do throws(VideoError) {
            reader = try VideoReader(input: input, options: arguments.readerOptions)
        } catch {
            StandardError.report(LimitArguments.sentence(for: error) ?? error.description)
            return .failure
        }
        try reporting { try arguments.checkOutputs() }
        guard !isOneOfSeveral || !reader.info.isLive else {
            StandardError.report(
                "\(name) has no end, so the other inputs would never begin; run `sightline track` once for "
                    + "each camera or stream."
            )
            return .failure
        }
        if let failure = reader.statistics.hardwareFailure {
            StandardError.report(
                "The graphics processor cannot decode \(FileName.printed(name)) (\(failure)), so software does, which is slower."
            )
        }
        let detection = streamDetection(detection, isLive: reader.info.isLive)
        var options = arguments.streamOptions
        options.leftOverConfidence = sheet?.confidence.least
        let detector = try loading(arguments.detector.requestedModels(detection)) {
            try StreamDetector(detection: detection, options: options)
        }
        try reporting(as: .usage) {
            try arguments.checkPoints(of: detector)
            try arguments.cropping.check(givesMasks: detector.givesMasks, detector.modelFiles)
        }
        var sinkOptions = ResultSinkOptions(kind: .frames)
        sinkOptions.writesTimes = !arguments.output.noTimes
        sinkOptions.model = try arguments.detector.defaultModel(detector.modelFiles)
        sinkOptions.classNames = { try detection.classNames() }
        let format = arguments.output.resultFormat(default: .table)
        var state = State(
            output: try reporting {
                try TrackOutput(
                    arguments.output,
                    format,
                    sinkOptions,
                    events: arguments.events,
                    isLive: reader.info.isLive
                )
            },
            progress: VideoProgress(reader.info, from: arguments.from?.time, to: arguments.to?.time)
        )
        let destinations = EventDestinations()
        var settings = arguments.deskSettings(
            camera: arguments.sending.camera(of: name),
            isLive: reader.info.isLive
        )
        settings.things = try ThingLabelers().things(arguments.state)
        let desk = StreamDesk(settings, destinations: destinations)
        try await reporting {
            try await desk.openCounts()
            await destinations.change(
                to: try await destinations.prepare(
                    arguments.sending.places(hidesPictures: arguments.hides)
                )
            )
        }
        await desk.connect(isLive: reader.info.isLive)
        state.warn(of: arguments, in: reader.info.size)
        let drawing = try reporting {
            try TrackDrawing(arguments, input: input, info: reader.info, name: name, sheet: sheet)
        }
        var interruption: Interruption?
        var sent: [EventDestinations.Ending] = []
        await Termination.stopping(by: { reader.cancel() }) {
            interruption = await follow(reader, detector, drawing, desk, &state)
            // A signal may not interrupt the end of the files either.
            do {
                try await withTaskExecutorPreference(FileExecutor.shared) { try await drawing?.finish() }
                state.progress.clear()
                let last = await desk.end()
                try state.output.finish(last.events)
                try await desk.finish()
            } catch {
                interruption = interruption ?? .writing(error)
            }
            sent = await destinations.finish()
        }
        let history = await desk.history
        let lines =
            summary(history, state, reader.statistics, detector, await desk.states.countLines) + sent.map(\.summary)
        state.output.writeSummary(lines, hasObjects: history.objectCount > 0)
        report(reader.statistics)
        if arguments.detector.maxObjects == nil, state.fullFrames > 0 {
            StandardError.report(
                "\(state.fullFrames) frames have \(options.maximumObjects) objects, which is the limit; "
                    + "raise --max-objects to follow more."
            )
        }
        if let sentence = state.names.namelessSentence { StandardError.report(sentence) }
        if interruption == nil { warnOfNothingRead(reader, history) }
        if StandardError.isTerminal, state.names.areMostlyNameless, try arguments.detector.usesBuiltInModels {
            StandardError.report(BuiltInModels.namelessAdvice)
        }
        let status = try end(interruption, reader, history)
        return status == .success && sent.contains { $0.undelivered > 0 } ? .incomplete : status
    }

    /// The values that change from frame to frame.
    private struct State {
        var output: TrackOutput
        var progress: VideoProgress
        /// The number of frames with as many objects as the limit allows.
        var fullFrames = 0
        var names = NamedFindings()
        private var hasWarned = false

        init(output: TrackOutput, progress: VideoProgress) { (self.output, self.progress) = (output, progress) }

        /// Reports lines and zones outside the frame, once the size is known: a camera may state none before its first frame.
        mutating func warn(of arguments: TrackCommand, in size: PixelSize) {
            guard !hasWarned, size.width > 0, size.height > 0 else { return }
            hasWarned = true
            arguments.outlineWarnings(in: size).forEach(StandardError.report)
        }
    }

    /// The options of the detector for this stream.
    ///
    /// - Parameter isLive: whether frames come in real time.
    private func streamDetection(_ options: ObjectDetectorOptions, isLive: Bool) -> ObjectDetectorOptions {
        var options = options
        (options.threads, options.workers) = arguments.concurrency.forStream(oneByOne: isLive || arguments.motion)
        return options
    }

    private var input: VideoInput {
        var rate = arguments.frameRate ?? 30
        let input = VideoInput(name, frameRate: rate)
        if !video.pictures.isEmpty {
            let files = video.pictures.map { URL(filePath: $0) }
            if arguments.frameRate == nil { rate = MOTSequence(ofPictures: files[0]).frameRate ?? rate }
            return .pictureFiles(files, frameRate: rate)
        }
        guard arguments.frameRate == nil, case .pictures(let pictures, _) = input,
            let stated = MOTSequence(ofPictures: pictures).frameRate
        else { return input }
        return .pictures(pictures, frameRate: stated)
    }

    /// Names what was skipped.
    private func report(_ reading: VideoReadingStatistics) {
        for picture in reading.damagedPictures {
            StandardError.report("Skipped \(FileName.printed(picture.path)): \(picture.error)")
        }
        let others = reading.damagedPictures.isEmpty ? 0 : reading.damagedPackets - reading.damagedPictures.count
        if others > 0 { StandardError.report("Skipped \(NumberText.count(others, "further damaged picture")).") }
        if let first = reading.firstMissingPicture {
            StandardError.report(
                "\(name) has a gap: \(NumberText.count(reading.missingPictures, "picture")) "
                    + "\(reading.missingPictures == 1 ? "is" : "are") missing from \(FileName.printed(first)) on; "
                    + "later pictures keep their times."
            )
        }
        if arguments.decoder == .vaapi, reading.hardwareFailure == nil, reading.hardwareFrames < reading.frames {
            StandardError.report(
                "The graphics processor decoded \(reading.hardwareFrames) of \(NumberText.count(reading.frames, "frame")), and software "
                    + "the others."
            )
        }
        if reading.damagedFrames > 0 {
            StandardError.report(
                "\(name) has \(NumberText.count(reading.damagedFrames, "damaged frame")), in which objects may be wrong."
            )
        }
    }

    /// Explains a result without objects, or without frames.
    private func warnOfNothingRead(_ reader: VideoReader, _ history: StreamHistory) {
        if history.frameCount == 1, history.objectCount == 0, !reader.info.isLive,
            reader.statistics.earlyEnd == nil
        {
            StandardError.report(
                "\(name) has a single frame, but an object needs two to be tracked; `sightline detect` finds the objects of a picture."
            )
        }
        guard history.frameCount == 0, Termination.stopSignal == nil, let from = arguments.from?.time else { return }
        let length = reader.info.duration.map { ", which is \(ClockText.text($0)) long" } ?? ""
        StandardError.report("--from \(ClockText.text(from)) lies beyond the end of \(name)\(length).")
    }

    /// Processes all frames.
    ///
    /// - Returns: the reason if the run ended before the input.
    private func follow(
        _ reader: VideoReader,
        _ detector: StreamDetector,
        _ drawing: TrackDrawing?,
        _ desk: StreamDesk,
        _ state: inout State
    ) async -> Interruption? {
        let limit = detector.options.maximumObjects
        var frames = detector.results(in: reader.frames(), policy: reader.info.isLive ? .newest : .all)
            .makeAsyncIterator()
        guard arguments.offline else {
            return await deliver(to: drawing, desk, limit: limit, &state) {
                try await frames.next().map { DeliveredFrame(result: $0.result, frame: $0.frame) }
            }
        }
        var tracker = OfflineTracker()
        var interruption: Interruption?
        do {
            while let analyzed = try await frames.next() {
                tracker.append(analyzed.result)
                state.progress.advance(analyzed.result)
            }
        } catch {
            interruption = .reading(error)
        }
        state.progress.beginAgain()
        var finished: FinishedFrames
        do {
            var options = arguments.readerOptions
            options.decodesAllFrames = true
            let needsPictures = drawing != nil || arguments.sendsEventPictures
            let second = needsPictures ? try VideoReader(input: input, options: options) : nil
            finished = FinishedFrames(
                tracker.finish(),
                limit: limit,
                of: name,
                frames: second?.frames(),
                hides: drawing?.hides ?? false
            )
        } catch {
            return .reading(error)
        }
        return await deliver(to: drawing, desk, limit: limit, &state) { try await finished.next() } ?? interruption
    }

    /// Writes the results of all frames.
    ///
    /// Decoding, detection and drawing run at the same time on different frames.
    ///
    /// - Parameters:
    ///   - limit: the largest number of objects in a frame.
    ///   - next: gives the frames.
    /// - Returns: the reason if the run ended before the frames.
    private func deliver(
        to drawing: TrackDrawing?,
        _ desk: StreamDesk,
        limit: Int,
        _ state: inout State,
        next: () async throws -> DeliveredFrame?
    ) async -> Interruption? {
        var drawn: Task<Void, any Error>?
        while true {
            let delivered: DeliveredFrame?
            do {
                delivered = try await next()
            } catch {
                _ = await drawn?.result
                return .reading(error)
            }
            do {
                try await drawn?.value
                guard let delivered else { return nil }
                let result = delivered.result
                state.warn(of: arguments, in: result.size)
                let happening = await desk.add(result, frame: delivered.frame)
                try state.output.append(result, happening.events)
                if let failure = happening.countFailure ?? happening.stateFailure { throw failure }
                if arguments.exchange.pixels, let frame = delivered.frame {
                    try await Task(executorPreference: FileExecutor.shared) {
                        try PixelOutput.write(frame.image.upright())
                    }.value
                }
                state.names.count(result.objects)
                if result.objects.count >= limit { state.fullFrames += 1 }
                if let drawing, let frame = delivered.frame {
                    let outlines = await desk.history.outlines
                    drawn = Task(executorPreference: FileExecutor.shared) {
                        let analyzed = AnalyzedFrame(frame: frame, result: result)
                        try await drawing.draw(analyzed, outlines: outlines, covers: delivered.covers)
                    }
                }
                state.progress.advance(result)
            } catch {
                return .writing(error)
            }
        }
    }

    private func summary(
        _ history: StreamHistory,
        _ state: State,
        _ reading: VideoReadingStatistics,
        _ detector: StreamDetector,
        _ states: [String]
    ) -> [String] {
        var frames = "\(NumberText.count(history.frameCount, "frame")), \(state.progress.rateText)"
        if history.droppedFrames > 0 { frames += ", \(history.droppedFrames) dropped" }
        let damaged = reading.damagedPackets + reading.damagedFrames
        if damaged > 0 { frames += ", \(damaged) damaged" }
        if reading.missingPictures > 0 { frames += ", \(reading.missingPictures) missing" }
        if reading.reconnects > 0 { frames += ", reconnected \(reading.reconnects) times" }
        let isOwnDecision = arguments.detector.model.optimize == nil && detector.runsRewrittenModels
        let rewriting = isOwnDecision ? ["The model was rewritten to run faster; --no-optimize runs it unchanged."] : []
        let unnamed = [UnnamedObjects.sentence(about: history.unnamedCount)].compactMap(\.self)
        return [history.countText] + history.countLines + states + unnamed + rewriting + [frames]
    }

    /// The status of the run.
    private func end(
        _ interruption: Interruption?,
        _ reader: VideoReader,
        _ history: StreamHistory
    ) throws -> ExitStatus {
        switch interruption {
        case .writing(let error):
            StandardError.report(sentence(for: error))
            throw ExitStatus.failure.code
        case .reading(let error):
            StandardError.report(sentence(for: error))
            return history.frameCount > 0 ? .incomplete : .failure
        case nil:
            break
        }
        if let signal = Termination.stopSignal { throw ExitStatus.stopped(bySignal: signal) }
        if let reason = reader.statistics.earlyEnd {
            StandardError.report("\(name): the end is missing (\(reason)); everything before that point was done.")
            return .incomplete
        }
        return .success
    }
}
