import Foundation
import HTTPServing
import Hummingbird
import Sightline
import Synchronization

/// The shadows of a server, one for each of some models.
package struct Shadows: Sendable {
    /// The shadows, in the order of the command line.
    package let all: [ServedShadow]
    /// The pictures that differ most; nil if none are kept.
    package let kept: KeptPictures?
    /// Adds kept pictures to data sets of a hub; nil without a token for that.
    package let sender: KeptPictureSender?

    /// Creates shadows.
    package init(_ all: [ServedShadow] = [], kept: KeptPictures? = nil, sender: KeptPictureSender? = nil) {
        (self.all, self.kept, self.sender) = (all, kept, sender)
    }

    subscript(model: String) -> ServedShadow? { all.first { $0.model == model } }
}

extension AnswerService {
    /// Draws an answer for its model's shadow, which works on it after the response was sent.
    func shadow(
        _ model: AnswerModel,
        _ picture: Data,
        _ options: AnswerOptions,
        _ results: GivenAnswer.Results
    ) {
        guard let shadow = shadows[model.name], shadow.draws(model) else { return }
        let given = GivenAnswer(model: model, picture: picture, options: options, results: results)
        let processors = min(self.options.workers, max(ProcessInfo.processInfo.activeProcessorCount, 1))
        let (limits, metrics) = (self.options.pictures, metrics)
        let work: SentResponse.Work = {
            shadow.answer(given, limits: limits) { metrics.picturesInside >= processors }
        }
        if let response = SentResponse.current { response.add(work) } else { work() }
    }
}

/// Work that begins after the response to a request was sent.
final class SentResponse: Sendable {
    typealias Work = @Sendable () -> Void

    /// The response to the request that the task handles.
    @TaskLocal static var current: SentResponse?

    private let work = Mutex<[Work]>([])

    func add(_ work: @escaping Work) { self.work.withLock { $0.append(work) } }

    /// The response of a handler, after which its work begins.
    static func following(_ handler: () async throws -> Response) async throws -> Response {
        let sent = SentResponse()
        var response = try await $current.withValue(sent) { try await handler() }
        let work = sent.work.withLock { $0 }
        guard !work.isEmpty else { return response }
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            for work in work { work() }
        }
        return response
    }
}
