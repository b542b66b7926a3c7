import ArgumentParser

struct TrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train",
        abstract: "Make a model of one's own from pictures with labels.",
        discussion: """
            Examples:
              sightline train labels photos/ --output plants
              sightline label photo.jpg --model plants
            """,
        subcommands: [TrainLabelsCommand.self]
    )
}
