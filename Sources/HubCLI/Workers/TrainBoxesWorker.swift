import ArgumentParser
import ModelHubProtocol
import ModelHubServer
import Sightline
import SightlineEvaluation
import SightlineTraining

/// Trains a detector on the photos of a data set whose boxes are drawn, in a separate process (``TrainingWorkerArguments``).
struct TrainBoxesWorker: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train-boxes",
        abstract: "Train a detector on photos with drawn boxes, in a sandbox."
    )

    @OptionGroup var arguments: TrainingWorkerArguments

    func run() {
        // The built-in detector proposes boxes.
        arguments.run(reading: [.builtInDetector]) { work in
            let pictures = AnnotatedPictures(Self.annotations(work.photos), in: work.folder)
            let trainer = try BoxTrainer(options: BoxTrainerOptions(work.options))
            let trained = try await trainer.train(pictures, named: work.photos.model, progress: work.show)
            let result = TrainingLine.Result(
                byteCount: trained.model.count,
                threshold: trained.card.confidenceThreshold,
                notes: trained.notes,
                card: try TrainingWorkerArguments.text(trained.card),
                report: .boxes(trained.report),
                doubts: trained.doubtful.map { doubt in
                    .init(
                        file: doubt.path,
                        answer: doubt.difference,
                        confidence: doubt.confidence,
                        found: doubt.found.prefix(PhotoLine.maximumProposals).map { PhotoBox($0.frame, $0) }
                    )
                }
            )
            return (result, trained.model)
        }
    }

    /// The boxes of all photos. The numbers of categories follow the names of the labels.
    private static func annotations(_ photos: TrainingPhotos) -> BoxAnnotations {
        let labels = Set(photos.photos.flatMap { ($0.boxes ?? []).map(\.label) }).sorted()
        let places = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        let objects = photos.photos.enumerated().flatMap { number, photo in
            (photo.boxes ?? []).map { box in
                BoxAnnotations.Object(
                    picture: number,
                    category: places[box.label] ?? 0,
                    frame: PixelRect(x: box.x, y: box.y, width: box.width, height: box.height),
                    area: box.width * box.height,
                    isCrowd: box.isGroup ?? false
                )
            }
        }
        return BoxAnnotations(
            name: photos.name,
            pictures: photos.photos.enumerated().map {
                .init(id: $0 + 1, path: $1.file, size: PixelSize(width: $1.width, height: $1.height))
            },
            categories: labels.enumerated().map { .init(id: $0 + 1, name: $1) },
            objects: objects
        )
    }
}

extension PhotoBox {
    /// A box that the trained model found.
    fileprivate init(_ frame: PixelRect, _ found: BoxReport.PictureBox) {
        self.init(
            label: found.label,
            x: frame.x,
            y: frame.y,
            width: frame.width,
            height: frame.height,
            confidence: found.confidence
        )
    }
}
