import CommandLineSupport
import HTTPServing
import Sightline
import SightlineMedia

extension AnswerError {
    /// The error for the client after a failure; nil if the server failed.
    init?(cause error: any Error) {
        switch error {
        case let error as AnswerError: self = error
        case let error as ImageError: self.init(picture: error)
        case MediaError.image(let error): self.init(picture: error)
        case let error as InputError: self = .invalid(error.reason)
        case is FairQueue.Full: self = .busy
        default:
            guard let refusal = RequestError(error) else { return nil }
            self.init(refusal)
        }
    }

    /// The error for a request that was refused before anything else looked at it.
    init(_ refusal: RequestError) {
        self.init(refusal.status, "\(refusal)", retryAfter: refusal.retryAfter)
        if refusal == .unknownAddress { self = .nothingHere }
    }

    /// The error for a picture that cannot be used; nil if the server is at fault.
    private init?(picture error: ImageError) {
        switch error {
        case .tooLarge(let size, let maximum):
            self.init(
                .contentTooLarge,
                "The picture of \(size.width) × \(size.height) pixels exceeds the server's limit of \(maximum) pixels; shrink it."
            )
        case .tooManyBytes(let count, let maximum):
            self.init(
                .contentTooLarge,
                "The picture's \(count) bytes exceed the server's limit of \(maximum); compress or shrink it."
            )
        case .empty, .unsupportedFormat, .missingLibrary, .corrupted, .invalidRegion, .encodingFailed:
            self = .invalid("\(error)")
        case .outOfMemory(let bytes):
            self.init(
                .contentTooLarge,
                "There is no memory for the picture's \(bytes) bytes of pixels; shrink it."
            )
        case .unreadable, .invalidPixelBuffer, .unsupportedInput, .unknownExtension, .unwritable, .diskFull: return nil
        }
    }
}
