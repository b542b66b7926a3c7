import ArgumentParser
import ModelHubServer
import SightlineTraining

/// Trains a labeler on the photos of a data set, in a separate process (``TrainingWorkerArguments``).
struct TrainLabelsWorker: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train-labels",
        abstract: "Train a labeler on photos with labels, in a sandbox."
    )

    @OptionGroup var arguments: TrainingWorkerArguments

    func run() {
        arguments.run { work in
            let pictures = try TrainingPictures(
                work.photos.photos.compactMap { photo in photo.label.map { .init(file: photo.file, label: $0) } },
                in: work.folder,
                named: work.photos.name
            )
            let trainer = try LabelTrainer(options: LabelTrainerOptions(work.options))
            let trained = try await trainer.train(pictures, named: work.photos.model) { progress in
                switch progress {
                case .reading(let done, let skipped, let total):
                    work.show(.reading(done: done, skipped: skipped, total: total))
                case .fitting(let done, let total): work.show(.fitting(done: done, total: total))
                }
            }
            let result = TrainingLine.Result(
                byteCount: trained.model.count,
                threshold: trained.card.confidenceThreshold,
                notes: trained.notes,
                card: try TrainingWorkerArguments.text(trained.card),
                report: .labels(trained.report),
                doubts: trained.doubtful.map {
                    .init(file: $0.path, answer: $0.answer, confidence: $0.confidence)
                }
            )
            return (result, trained.model)
        }
    }
}
