import ArgumentParser
import CommandLineSupport

@main
struct SightlineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Find and name objects in pictures with TensorFlow Lite and ONNX models.",
        discussion: """
            Examples:
              sightline detect photo.jpg --annotate found.png
              sightline detect photo.jpg --model coco.tflite
              sightline label photos/ --model plants.tflite --format csv
              sightline watch cameras.yaml
              sightline evaluate labels flowers/ --model plants.tflite --html report.html
              sightline compare --model coco.tflite --model yolo.tflite photos/
              sightline inspect coco.tflite
              sightline optimize coco.tflite fast-coco.tflite
              sightline train labels photos/ --output plants
              sightline similar photo.jpg photos/
              sightline models list
              sightline serve --port 8080
              sightline hub serve

            `sightline --generate-completion-script bash` prints completions for bash; zsh and fish work too.
            """,
        version: SightlineVersion.current,
        subcommands: [
            DetectCommand.self, LabelCommand.self, TrackCommand.self, WatchCommand.self, DrawCommand.self,
            ZonesCommand.self,
            SimilarCommand.self, TrainCommand.self, EvaluateCommand.self, CompareCommand.self, InspectCommand.self,
            OptimizeCommand.self, ModelsCommand.self,
            ServeCommand.self, HubCommand.self,
        ]
    )

    static func main() async {
        MachineLimits.check(files: 32)
        ProcessArguments.require()
        Termination.handleSignals()
        let arguments = CommandLineArguments.ofProcess
        if CompletionScript.print(for: arguments.words) { return }
        do {
            // Most programs have this short name.
            let words = arguments.words == ["-V"] ? ["--version"] : arguments.withValuesOfFlags
            var command = try await asyncParseAsRoot(CommandTree(Self.self).withHelpFirst(words))
            try reporting(as: .usage) { try arguments.check(for: command) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error, of: arguments.words)
        }
    }
}
