import FacadeSupport
import Foundation
import ModelHub
import ModelHubApp
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

/// Which code each typed error gets.
@Suite(.hangLimit)
struct ErrorTranslationTests {
    private static let cases: [(error: any Error & Sendable, code: Int)] = [
        (CancellationError(), 1),
        (DownloadError.cancelled(model: "m"), 1),
        (ImageError.empty, 3),
        (ImageError.unsupportedFormat(found: "a GIF"), 3),
        (ImageError.corrupted(format: "PNG", reason: "r"), 3),
        (LocalModelError.manifest(path: "p", reason: "r"), 3),
        (LocalModelError.bundle(path: "p", reason: "r"), 3), (LocalModelError.sidecar(path: "p", reason: "r"), 3),
        (LocalModelError.labelCount(model: "m", source: "s", labels: 1, classes: 2), 3),
        (LocalModelError.input(model: "m", reason: "r"), 3),
        (LocalModelError.output(model: "m", reason: "r"), 3),
        (LocalModelError.unusable(path: "p", reason: .corrupted(reason: "r")), 3),
        (LocalModelError.unusable(path: "p", reason: .unsupported(.externalWeights)), 3),
        (DownloadError.invalidArgument(model: "m", reason: "r"), 3),
        (DownloadError.emptyModelName, 3),
        (FacadeError.unknownImage(type: "T"), 3),
        (HubAppError.invalidHub("x", app: "a"), 3),
        (HubAppError.invalidTrustedKeys(reason: "r.", app: "a"), 3),
        (ImageError.unreadable(path: "p", reason: "r"), 5),
        (LocalModelError.unreadable(path: "p", reason: "r"), 5),
        (LocalModelError.unusable(path: "p", reason: .unreadable(path: "p", reason: "r")), 5),
        (LocalModelError.missingBuiltIn(file: "f", searched: []), 5),
        (DownloadError.notFound(model: "m", place: "p"), 5),
        (DownloadError.notDownloaded(model: "m", folder: "f"), 5),
        (DownloadError.permissionDenied(model: "m", reason: "r"), 7),
        (ImageError.tooLarge(PixelSize(width: 1, height: 1), maximumPixels: 0), 8),
        (ImageError.outOfMemory(bytes: 1), 8),
        (LocalModelError.unusable(path: "p", reason: .tooLarge(what: "w", bytes: 2, limit: 1)), 8),
        (DownloadError.resourceExhausted(model: "m", reason: "r"), 8),
        (DownloadError.notEnoughSpace(path: "p"), 8),
        (DownloadError.failedPrecondition(model: "m", reason: "r"), 9),
        (FacadeError.calledOnMainThread(function: "f"), 9),
        (FacadeError.notDownloaded(model: "m"), 9),
        (HubAppError.notConfigured(reason: nil), 9),
        (RuntimeError.libraryNotFound(searched: []), 9),
        (RuntimeError.callFailed(operation: "o", status: 1, reason: "r"), 13),
        (InterpreterError.failedToCreateInterpreter, 13),
        (OutputError.notFinite(model: "m", tensor: "t"), 13),
        (DownloadError.internalError(model: "m", reason: "r"), 13),
        (DownloadError.unavailable(model: "m", reason: "r"), 14),
        (DownloadError.fileAccess(path: "p", reason: "r"), 13),
        (DownloadError.wrongContent(model: "m", reason: "r"), 15),
        (DownloadError.untrusted(model: "m", problem: .unsigned), 15),
        (LocalModelError.damagedBuiltIn(path: "p", reason: .empty), 15),
    ]

    @Test(arguments: cases.indices)
    func eachErrorHasItsCodeAndItsSentence(_ index: Int) {
        let (error, code) = Self.cases[index]
        let translated = ErrorTranslation.error(error, domain: "com.example")
        #expect((translated.domain, translated.code) == ("com.example", code))
        #expect(translated.localizedDescription.hasSuffix("."))
        if !(error is CancellationError) { #expect(translated.localizedDescription == "\(error)") }
        #expect(translated.userInfo[NSUnderlyingErrorKey].map { "\($0)" } == "\(error)")
    }
}
