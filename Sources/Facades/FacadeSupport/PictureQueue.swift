import Dispatch
import Foundation
import Sightline
import SightlineLocks

/// The picture queue of the facades' detectors and labelers. It processes one picture at a time, in the order of their
/// arrival, on its own queue, and reports the results in the way that the facades promise.
///
/// `Output` is the result of one picture, for example a list of objects.
public final class PictureQueue<Output: Sendable>: Sendable {
    /// Processes a picture. The time is its arrival, measured from the creation of the queue.
    public typealias Recognizer = @Sendable (_ image: VisionImage, _ arrival: Duration) throws -> Output

    private let queue = DispatchQueue(label: "sightline.facade", qos: .userInitiated)
    private let domain: String
    private let start = ContinuousClock.now
    private let recognize: Recognizer

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - domain: The domain of the errors.
    ///   - recognize: Called for one picture at a time, never on the main thread.
    public init(domain: String, recognize: @escaping Recognizer) {
        self.domain = domain
        self.recognize = recognize
    }

    /// Processes a picture and calls back on the main queue, exactly once, with either results or an error.
    ///
    /// - Parameter image: Read before the call returns, so that it may change afterwards.
    public func process(
        _ image: @autoclosure () throws -> VisionImage,
        completion: @escaping @MainActor @Sendable (Output?, NSError?) -> Void
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

    /// Processes a picture.
    ///
    /// - Throws: An `NSError`; also if the task is canceled before the picture is processed.
    public func process(_ image: VisionImage) async throws -> Output {
        let arrival = ContinuousClock.now - start
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    let isCancelled = isCancelled.withLock { $0 }
                    continuation.resume(
                        with: outcome(of: isCancelled ? .failure(CancellationError()) : .success(image), arrival)
                    )
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Processes a picture while the caller waits.
    ///
    /// - Parameter function: The name of the function, for the error message on the main thread.
    /// - Throws: An `NSError`.
    public func results(
        in image: @autoclosure () throws -> VisionImage,
        function: String = "results(in:)"
    ) throws -> Output {
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
    ) -> Result<Output, NSError> {
        do {
            return .success(try recognize(image.get(), arrival))
        } catch {
            return .failure(ErrorTranslation.error(error, domain: domain))
        }
    }
}
