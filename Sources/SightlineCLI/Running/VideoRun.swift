import ArgumentParser
import Foundation
import Sightline
import SightlineMedia

/// The way of a video: read, detect and follow, draw, write.
struct VideoRun {
    let arguments: TrackCommand

    init(_ arguments: TrackCommand) {
        self.arguments = arguments
    }

    func run() async throws {
    }
}
