import FirebaseMLModelDownloader
import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

/// A client of the downloader, as Firebase's guide has it, written before Swift's strict concurrency.
@Suite(.hangLimit)
struct Swift5DownloaderTests {
    private final class Controller {
        var fraction: Float = 0
        var path: String?

        func load(done: @escaping () -> Void) {
            let conditions = ModelDownloadConditions(allowsCellularAccess: false)
            ModelDownloader.modelDownloader().getModel(
                name: "swift5",
                downloadType: .localModelUpdateInBackground,
                conditions: conditions,
                progressHandler: { self.fraction = $0 }
            ) { [weak self] result in
                switch result {
                case .success(let customModel):
                    self?.path = customModel.path
                case .failure(.notFound):
                    self?.path = "not found"
                case .failure(let error):
                    self?.path = error.localizedDescription
                }
                done()
            }
        }
    }

    @Test func closuresCaptureWhatTheyLike() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("swift5", Data([0x1c, 0, 0, 0]) + Data("TFL3".utf8))
            let controller = Controller()
            await withCheckedContinuation { continuation in controller.load { continuation.resume() } }
            #expect(controller.path?.hasSuffix(".tflite") == true && controller.fraction == 1)
        }
    }
}
