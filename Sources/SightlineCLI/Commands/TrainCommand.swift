import ArgumentParser

struct TrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train",
        abstract: "Train your own model from pictures with labels or boxes.",
        discussion: """
            Examples:
              sightline train labels photos/ --output plants
              sightline label photo.jpg --model plants
              sightline train boxes annotations.json --images photos/ --output food
              sightline detect photo.jpg --model food
            """,
        subcommands: [TrainLabelsCommand.self, TrainBoxesCommand.self]
    )
}
