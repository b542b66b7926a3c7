import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import SightlineTraining

extension BoxedPhotos {
    /// Options that keep nothing.
    static func options(_ start: LocalModel = LabeledPhotos.floatStart) -> BoxTrainerOptions {
        var options = BoxTrainerOptions(start: start)
        (options.cache, options.workers) = (nil, 2)
        return options
    }

    static func trained(_ annotations: URL, _ options: BoxTrainerOptions = options()) async throws -> TrainedBoxes {
        try await BoxTrainer(options: options).train(AnnotatedPictures(contentsOf: annotations), named: "yard")
    }
}
