import ArgumentParser

@main
struct SightlineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Find and name objects in pictures with TensorFlow Lite models.",
        discussion: """
            Examples:
              sightline detect photo.jpg --model coco.tflite --annotate found.png
              sightline label photos/ --model plants.tflite --format csv
              sightline inspect coco.tflite
            """,
        version: "0.1.0",
        subcommands: [DetectCommand.self, LabelCommand.self, InspectCommand.self]
    )

    static func main() async {
        Termination.handleSignals()
        await main(nil)
    }
}
