import Foundation
import ModelHubProtocol
import Sightline
import SightlineEvents

/// The program that `Scripts/tools kill broker` kills, and that `Scripts/tools fuzz broker` answers, while it sends events.
///
/// `EventProbe ADDRESS FOLDER FIRST COUNT MILLISECONDS` publishes events of objects with the identities from FIRST on, one after each
/// pause of MILLISECONDS, over MQTT to ADDRESS with a queue in FOLDER, and says "published ID" once an event is accepted. It announces
/// its camera to Home Assistant, too. At the end it says "undelivered NUMBER". What the outbox reports is on standard error.
@main
struct EventProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let first = Int(arguments[3]), let count = Int(arguments[4]),
            let pause = Int(arguments[5])
        else { return say("wrong arguments") }
        do {
            let outbox = try await EventOutbox(
                MQTTTransport(MQTTAddress(arguments[1]), options: .init(discoveryPrefix: "homeassistant")),
                folder: URL(filePath: arguments[2]),
                retry: RetryPolicy(base: .milliseconds(20), maximum: .milliseconds(200))
            ) { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
            await outbox.show(CameraState(camera: "door"))
            for id in first..<first + count {
                await outbox.publish([CameraEvent(camera: "door", event: try event(id), date: Date())])
                say("published \(id)")
                try await Task.sleep(for: .milliseconds(pause))
            }
            say("undelivered \(await outbox.finish(within: .seconds(60)))")
        } catch {
            say("error \(error)")
        }
    }

    /// An object that crosses a line.
    private static func event(_ id: Int) throws -> StreamEvent {
        let text = #"{"line":"entrance","direction":"in","id":\#(id),"label":"person","time":[0,0],"isRepeated":false}"#
        return .line(try JSONDecoder().decode(LineEvent.self, from: Data(text.utf8)))
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
