import CommandLineSupport
import Foundation
import HTTPServing
import Logging
import Sightline
import SightlineMedia

/// Answers questions about pictures with the models of a server.
///
/// A picture needs a place in the queue, which has as many places as the server has workers. Further pictures wait; those of several
/// clients take turns, and beyond the limit ``AnswerError/busy`` is the answer. All dialects use this type.
package struct AnswerService: Sendable {
    /// The limits of a service.
    package struct Options: Sendable {
        /// The number of pictures that are analyzed at the same time: by default one more than there are cores. With one a core, two
        /// workers wake up on the same core at times while the other is idle: two cores then gave 189 answers a second instead of 211.
        package var workers = max(ProcessInfo.processInfo.activeProcessorCount, 1) + 1
        /// Whether models are rewritten so that they run faster, if possible; answers may differ a little.
        package var optimizesModels = true
        /// The number of pictures that may wait for a worker.
        package var waitingPictures = 256
        /// The longest time for a picture, from its last byte to its answer.
        package var timeout = Duration.seconds(30)
        /// The largest picture, in bytes and pixels.
        package var pictures = ImageLimits(maximumPixels: 64_000_000, maximumBytes: 20 << 20)
        /// Looks up the hosts of pictures' addresses.
        package var nameLookUps = NameLookUps.shared
        /// The bytes of all bodies in memory at the same time.
        package var bodyBytes = 512 << 20

        /// Creates the default limits.
        package init() {}
    }

    /// The limits.
    package let options: Options
    /// The counters of the service.
    package let metrics: AnswerMetrics
    let models: ModelTable
    let memory: BodyMemory
    /// The memory for forms whose sender has not shown the server's token yet, so that strangers take none from its owners.
    let strangersMemory: BodyMemory
    package let shadows: Shadows
    let receipts = Receipts()
    let fetcher: PictureFetcher
    let queue: FairQueue

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - models: the models.
    ///   - hosts: the hosts from which requests may name pictures.
    ///   - shadows: give a share of the answers a second time.
    package init(
        models: ModelTable,
        options: Options = Options(),
        fetchingFrom hosts: AllowedHosts = AllowedHosts(),
        metrics: AnswerMetrics = AnswerMetrics(),
        shadows: Shadows = Shadows()
    ) {
        self.shadows = shadows
        (self.models, self.options, self.metrics) = (models, options, metrics)
        memory = BodyMemory(limit: options.bodyBytes)
        strangersMemory = BodyMemory(limit: options.bodyBytes / 8, refusal: .keyAfterPicture)
        fetcher = PictureFetcher(
            hosts: hosts,
            maximumBytes: options.pictures.maximumBytes,
            lookUps: options.nameLookUps
        )
        queue = FairQueue(
            places: options.workers,
            placesOfOwner: options.workers,
            waitingPlaces: options.waitingPictures
        )
    }

    /// The models in the order of the command line. The first of its kind answers requests that name no model.
    package func servedModels() -> [ServedModel] { models.descriptions }

    /// Finds the objects in a picture.
    ///
    /// - Parameters:
    ///   - picture: the bytes of a picture file.
    ///   - model: the name of a model; nil for the first that finds objects.
    /// - Throws: ``AnswerError``: 404 for an unknown model, 400 for an unusable picture or option, 413 for a large picture, 503 if
    ///   there is no place or no time.
    package func detect(
        _ picture: Data,
        model: String? = nil,
        options: AnswerOptions = AnswerOptions(),
        client: AnswerClient
    ) async throws(AnswerError) -> DetectionAnswer {
        let (loaded, detector, report) = try models.detector(named: model, for: client.key)
        let chosen = try Self.reading { () throws(InputError) in try options.detection(by: detector) }
        let limits = self.options.pictures
        let result = try await work(for: client, report) {
            try await detector.result(in: VisionImage(data: picture, limits: limits), under: chosen)
        }
        await report?.succeeded(in: result.timings)
        shadow(loaded, picture, options, .objects(result.objects))
        return DetectionAnswer(model: loaded, result: result, report: report)
    }

    /// Labels a picture.
    ///
    /// - Parameter model: the name of a model; nil for the first that labels pictures.
    /// - Throws: as for objects.
    package func label(
        _ picture: Data,
        model: String? = nil,
        options: AnswerOptions = AnswerOptions(),
        client: AnswerClient
    ) async throws(AnswerError) -> LabelingAnswer {
        let (loaded, labeler, report) = try models.labeler(named: model, for: client.key)
        let chosen = try Self.reading { () throws(InputError) in try options.labeling(by: labeler) }
        let limits = self.options.pictures
        let result = try await work(for: client, report) {
            try await labeler.result(in: VisionImage(data: picture, limits: limits), under: chosen)
        }
        await report?.succeeded(in: result.timings)
        shadow(loaded, picture, options, .labels(result.labels))
        return LabelingAnswer(model: loaded, result: result, report: report)
    }

    /// Draws the objects in a picture on it.
    ///
    /// - Parameters:
    ///   - format: JPEG or PNG.
    ///   - kinds: the marks to draw.
    /// - Throws: as for objects; 400 also if the picture cannot be stored in the format.
    package func annotate(
        _ picture: Data,
        as format: ImageFormat,
        drawing kinds: [AnnotatorKind] = AnnotatorKind.standard,
        model: String? = nil,
        options: AnswerOptions = AnswerOptions(),
        client: AnswerClient
    ) async throws(AnswerError) -> AnnotatedPicture {
        let (loaded, detector, report) = try models.detector(named: model, for: client.key)
        let chosen = try Self.reading { () throws(InputError) in try options.detection(by: detector) }
        let limits = self.options.pictures
        let (data, result) = try await work(for: client, report) {
            let image = try VisionImage(data: picture, limits: limits)
            let result = try await detector.result(in: image, under: chosen)
            var renderer = PictureRenderer(kinds.map { $0.makeAnnotator() })
            let drawn = try renderer.render(AnnotatedScene(objects: result.objects), on: image)
            return (try drawn.encoded(as: format), result)
        }
        await report?.succeeded(in: result.timings)
        shadow(loaded, picture, options, .objects(result.objects))
        return AnnotatedPicture(model: loaded, data: data, format: format, report: report)
    }

    /// Runs work on a picture when it is the client's turn, on a thread that may compute for long.
    ///
    /// - Parameter report: receives a failure of the model.
    func work<Value: Sendable>(
        for client: AnswerClient,
        _ report: OutcomeReport? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(AnswerError) -> Value {
        metrics.began()
        do {
            let value = try await Patience(limit: options.timeout, connection: client.connection).run { [queue] in
                try await queue.run(as: client.owner) { try await BlockingExecutor.run(body) }
            }
            metrics.ended(.answered)
            return value
        } catch Patience.End.late {
            metrics.ended(.late)
            throw .late(after: options.timeout)
        } catch is Patience.End {
            metrics.ended(.left)
            throw AnswerError(RequestError.interrupted)
        } catch {
            guard let known = AnswerError(cause: error) else {
                metrics.ended(.failed)
                await report?.failed()
                metrics.report("a model failed", error)
                throw .failed
            }
            metrics.ended(known.status.code == 503 ? .refused : .unusable)
            throw known
        }
    }

    /// The limits' error about an option, as an answer.
    private static func reading<Value>(_ body: () throws(InputError) -> Value) throws(AnswerError) -> Value {
        do throws(InputError) { return try body() } catch { throw .invalid(error.reason) }
    }
}
