import Foundation
import ModelHub
import ModelHubApp
import Sightline
import TensorFlowLite

/// Translates typed errors into the errors that code for ML Kit or Firebase expects.
public enum ErrorTranslation {
    /// The error in the form of the facades: a code of ``StatusCode``, the error's own sentence as the description, and
    /// the error itself under `NSUnderlyingErrorKey`.
    ///
    /// - Parameter domain: For example `com.google.mlkit`.
    public static func error(_ error: any Error, domain: String) -> NSError {
        NSError(
            domain: domain,
            code: code(of: error).rawValue,
            userInfo: [
                NSLocalizedDescriptionKey: sentence(of: error),
                NSUnderlyingErrorKey: error,
            ]
        )
    }

    private static func sentence(of error: any Error) -> String {
        error is CancellationError ? "The task was canceled before the picture was processed; call again." : "\(error)"
    }

    private static func code(of error: any Error) -> StatusCode {
        switch error {
        case let error as FacadeError: error.code
        case is CancellationError: .cancelled
        case let error as ImageError: code(of: error)
        case let error as LocalModelError: code(of: error)
        case let error as ModelError: code(of: error)
        case let error as DownloadError: code(of: error)
        case let error as RuntimeError: code(of: error)
        case let error as HubAppError: code(of: error)
        default: .internalError
        }
    }

    private static func code(of error: ImageError) -> StatusCode {
        switch error {
        case .unreadable: .notFound
        case .empty, .unsupportedFormat, .corrupted, .invalidPixelBuffer, .invalidRegion, .unsupportedInput,
            .unknownExtension, .encodingFailed:
            .invalidArgument
        case .missingLibrary: .failedPrecondition
        case .unwritable: .permissionDenied
        case .diskFull: .resourceExhausted
        case .tooLarge, .tooManyBytes, .outOfMemory: .resourceExhausted
        }
    }

    private static func code(of error: LocalModelError) -> StatusCode {
        switch error {
        case .unreadable, .missingBuiltIn: .notFound
        case .unusable(_, let reason): code(of: reason)
        case .manifest, .bundle, .sidecar, .labels, .labelCount, .input, .output: .invalidArgument
        case .runtime: .failedPrecondition
        case .damagedBuiltIn: .dataLoss
        }
    }

    private static func code(of error: ModelError) -> StatusCode {
        switch error {
        case .unreadable, .noAssociatedFile: .notFound
        case .empty, .notAModel, .corrupted, .unsupported, .rejectedByRuntime, .corruptedAssociatedFile:
            .invalidArgument
        case .tooLarge, .fileTooLarge, .outOfMemory: .resourceExhausted
        }
    }

    private static func code(of error: DownloadError) -> StatusCode {
        switch error {
        case .notFound, .aliasNotFound, .notDownloaded: .notFound
        case .permissionDenied: .permissionDenied
        case .failedPrecondition: .failedPrecondition
        case .resourceExhausted, .notEnoughSpace: .resourceExhausted
        case .invalidArgument, .emptyModelName: .invalidArgument
        case .unavailable: .unavailable
        case .wrongContent, .untrusted: .dataLoss
        case .fileAccess, .internalError: .internalError
        case .cancelled: .cancelled
        }
    }

    private static func code(of error: HubAppError) -> StatusCode {
        switch error {
        case .notConfigured, .missing, .noHub: .failedPrecondition
        case .invalidHub, .invalidTrustedKeys: .invalidArgument
        }
    }

    private static func code(of error: RuntimeError) -> StatusCode {
        switch error {
        case .libraryNotFound, .libraryNotLoadable, .missingFunction, .tooOld: .failedPrecondition
        case .callFailed: .internalError
        }
    }
}
