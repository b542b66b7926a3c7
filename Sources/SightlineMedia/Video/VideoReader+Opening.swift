import Foundation
import Sightline

extension VideoReader {
    /// Opens an input on a separate thread, since cameras and servers may take seconds to answer.
    ///
    /// Cancellation of the task ends the waiting.
    ///
    /// - Throws: the errors of `init(input:options:)`, or `CancellationError`.
    public static func opening(
        _ input: VideoInput,
        options: VideoReaderOptions = VideoReaderOptions()
    ) async throws -> VideoReader {
        let interruption = Interruption()
        let reader = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<VideoReader, any Error>) in
                let thread = Thread {
                    continuation.resume(
                        with: Result {
                            try VideoReader(input: input, options: options, interruption: interruption)
                        }
                    )
                }
                thread.name = "sightline.opener"
                thread.stackSize = 1 << 20
                thread.start()
            }
        } onCancel: {
            interruption.cancel()
        }
        try Task.checkCancellation()
        return reader
    }
}
