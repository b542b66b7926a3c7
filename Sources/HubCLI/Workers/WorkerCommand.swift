import ArgumentParser
import SightlineEvaluation

/// The work that the hub does in separate processes, because it reads uploaded files.
///
/// These commands are not for people. They begin on the main thread: a process can give up rights for all of its threads only while
/// it has one thread.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline-hub",
        abstract: "Workers of the hub.",
        subcommands: [
            ValidateModelCommand.self, PackLabelsCommand.self, OptimizeModelCommand.self, MakeThumbnailsCommand.self,
            TryModelCommand.self, ReadPhotosCommand.self, ShowPhotoCommand.self,
            TrainLabelsWorker.self, TrainBoxesWorker.self,
        ] + EvaluationKinds.all.map { evaluation($0) }
    )

    private static func evaluation<Kind: ModelEvaluator>(_ kind: Kind.Type) -> any ParsableCommand.Type {
        EvaluationWorker<Kind>.self
    }

    /// Whether a command line starts a worker.
    static func handles(_ arguments: [String]) -> Bool {
        configuration.subcommands.contains { $0.configuration.commandName == arguments.dropFirst().first }
    }
}
