import ArgumentParser

/// What the hub runs in processes of their own, since it reads what strangers sent.
///
/// These commands are not for people, and begin on the main thread: a process can give up rights for all of its threads only while
/// there is one.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline-hub",
        abstract: "What the hub does in processes of their own.",
        subcommands: [
            ExamineModelCommand.self, PackLabelsCommand.self, EvaluateLabelsCommand.self, MakeThumbnailsCommand.self,
        ]
    )

    /// Whether a command line is one of these commands.
    static func handles(_ arguments: [String]) -> Bool {
        configuration.subcommands.contains { $0.configuration.commandName == arguments.dropFirst().first }
    }
}
