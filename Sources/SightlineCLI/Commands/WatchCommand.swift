import ArgumentParser
import CommandLineSupport
import Foundation

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch several cameras, and write and send their events.",
        discussion: """
            The file lists cameras in YAML. An entry of a camera is an option of `sightline track`, without dashes; entries under \
            defaults belong to all cameras. For example:

              defaults: {model: yolox-nano-ti-lite, every: 3, motion: true}
              events: /var/lib/sightline/events.jsonl
              mqtt: mqtt://broker.local/sightline
              cameras:
                door:
                  input: rtsp://user:${DOOR_PASSWORD}@door.local/stream
                  camera: fixed
                  line: {entrance: "320,0,320,480"}
                  zone: {yard: "0,300 640,300 640,480"}
                  threshold: [0.4, person=0.6]
                  allow: [person, car]
                  schedule: Mon-Fri 08:00-18:00, Sat 10:00-14:00
                  counts: door.csv
                  period: 1h
                  pictures: {folder: pictures/door, keep: 7d, most: 1000}
                  blur: faces
                  state:
                    gate: {region: "90,40,200,200", model: gate, every: 1s, for: 3s}
                yard: {input: /dev/video0}

            An option without a value is true or false; yes, no, on and off mean the same. Aliases of YAML (*name) are not read.

            ${NAME} in an input is the value of an environment variable. Events of all cameras go to the file events, a line of JSON each, and \
            to the broker mqtt and the address webhook; every camera may have events of its own, and has counts of its own. Files grow; those \
            of an earlier run continue. Each event that crosses a line, or enters or leaves a zone, has a picture in the folder pictures, \
            where the oldest are removed after the time keep and above the number most; without lines and zones, each object has one. With blur: faces, faces are hidden in these pictures, also in those for mqtt; the model that \
            finds them is installed on first use. A picture in which they cannot be searched is left out.

            A thing under state, such as a gate, is named by its own labeler in a region of the picture, x,y,width,height or corners, at most \
            once in the time every. A label that stays for the time for becomes the state: an event, a sensor of Home Assistant, and a share \
            of the time in counts. The page of `sightline zones` makes such labelers.

            A camera without the option model uses the detector that `sightline models use` chose, otherwise the built-in one. \
            Cameras with the same model share its workers. A camera that fails, hangs or is slow does not stop the others; it is \
            reconnected for as long as it takes. A changed file, or SIGHUP, is read again: cameras whose entries are the same continue \
            with their objects and counts. While it has errors, or a destination of events cannot be used, the previous configuration \
            stays in use.

            Ctrl-C and SIGTERM end the run, after the last events were sent. Inputs that are files have an end; the run ends when \
            all inputs have ended.

            Examples:
              sightline watch cameras.yaml
              sightline watch cameras.yaml --check
              systemctl enable --now sightline-watch  # watches /etc/sightline/cameras.yaml

            \(exitCodes)
            """
    )

    private static let exitCodes = ExitStatus.help(
        success: "all inputs have ended, or the file has no errors (--check)",
        incomplete: "some events could not be written or sent, or some inputs could not be read",
        failure: "the file has errors, a model is missing or unusable, or a folder cannot be written (--check)",
        signals: "130 or 143 Ctrl-C or SIGTERM stopped the run"
    )

    @Argument(help: ArgumentHelp("The YAML file that lists the cameras.", valueName: "file"), completion: .file())
    var file: String

    @Flag(
        help: """
            Check the file, the models, the labels and the folders of the outputs, report each error with its line, and watch \
            nothing.
            """
    )
    var check = false

    @Option(
        parsing: .unconditional,
        help: "The number of frames that each model analyzes at the same time (default: one per core, at most 4)."
    )
    var workers: Int?

    func validate() throws {
        if let workers { try SightlineCLI.check(workers, isIn: 1...256, name: "workers") }
    }

    func run() async throws {
        let workers = workers ?? min(ProcessInfo.processInfo.activeProcessorCount, 4)
        let plan: WatchPlan
        do throws(WatchPlan.Failure) {
            plan = try await WatchPlan.read(file, workers: workers)
        } catch {
            error.report()
            throw ExitStatus.failure.code
        }
        plan.problems.forEach(StandardError.report)
        if check {
            if plan.hasUnwritablePlaces { throw ExitStatus.failure.code }
            StandardOutput.writeLine(plan.summary)
            return
        }
        try await WatchRun(file: file, plan: plan, workers: workers).run()
    }
}
