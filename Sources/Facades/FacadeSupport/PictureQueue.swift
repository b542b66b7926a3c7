import Dispatch
import Foundation
import Sightline
import Synchronization

/// What the facades' detectors and labelers do with pictures: look at one at a time, in the order in which they came, on a
/// queue of their own, and tell the outcome as the facades promise it.
public final class PictureQueue<Output: Sendable>: Sendable {
    /// Looks at a picture; the time is that of its arrival, counted from when the queue was made.
    public typealias Recognizer = @Sendable (_ image: VisionImage, _ arrival: Duration) throws -> [Output]

    private let queue = DispatchQueue(label: "sightline.facade", qos: .userInitiated)
    private let domain: String
    private let start = ContinuousClock.now
    private let recognize: Recognizer

    /// A queue of pictures.
    ///
    /// - Parameters:
    ///   - domain: that of the errors.
    ///   - recognize: called for one picture at a time, never on the main thread.
    public init(domain: String, recognize: @escaping Recognizer) {
        self.domain = domain
        self.recognize = recognize
    }

    /// Looks at a picture and calls back on the main queue, exactly once, with either results or an error.
    ///
    /// - Parameter image: read before the call returns, so that it may change afterwards.
    public func process(
        _ image: @autoclosure () throws -> VisionImage,
        completion: @escaping @MainActor @Sendable ([Output]?, NSError?) -> Void
    ) {
        let image = Result { try image() }
        let arrival = ContinuousClock.now - start
        queue.async { [self] in
            let outcome = outcome(of: image, arrival)
            MainQueue.async {
                switch outcome {
                case .success(let results): completion(results, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    /// Looks at a picture.
    ///
    /// - Throws: an `NSError`; also if the task is cancelled before the picture's turn.
    public func process(_ image: VisionImage) async throws -> [Output] {
        let arrival = ContinuousClock.now - start
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    let isCancelled = isCancelled.load(ordering: .relaxed)
                    continuation.resume(
                        with: outcome(of: isCancelled ? .failure(CancellationError()) : .success(image), arrival)
                    )
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    /// Looks at a picture while the caller waits.
    ///
    /// - Parameter function: the name for the message to one who calls this on the main thread.
    /// - Throws: an `NSError`.
    public func results(
        in image: @autoclosure () throws -> VisionImage,
        function: String = "results(in:)"
    ) throws -> [Output] {
        guard !MainQueue.isCurrent else {
            throw ErrorTranslation.error(FacadeError.calledOnMainThread(function: function), domain: domain)
        }
        let image = Result { try image() }
        let arrival = ContinuousClock.now - start
        return try queue.sync { outcome(of: image, arrival) }.get()
    }

    private func outcome(
        of image: Result<VisionImage, any Error>,
        _ arrival: Duration
    ) -> Result<[Output], NSError> {
        do {
            return .success(try recognize(image.get(), arrival))
        } catch {
            return .failure(ErrorTranslation.error(error, domain: domain))
        }
    }
}
