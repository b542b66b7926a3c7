import Foundation
import MLKit

import struct Sightline.PixelBuffer

// A program that tests run in a process of its own, since the main function of a test process is asynchronous: a program that waits for
// callbacks in a run loop, or in dispatchMain().
//
// `CallbackProbe runloop|dispatch` starts a download without a hub. It says "observer" and whether it is on the main thread when an
// observer on the main queue hears of its end, and "callback" when another hears what the callback of a labeler posts.

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let done = Notification.Name("CallbackProbe")
let image = VisionImage(
    pixels: try PixelBuffer(
        format: .gray,
        width: 1,
        height: 1,
        planes: [PixelBuffer.Plane(data: Data([0]), bytesPerRow: 1)]
    )
)
let labeler = ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(localModel: LocalModel(path: "/nowhere")))
let center = NotificationCenter.default
_ = center.addObserver(forName: .mlkitModelDownloadDidFail, object: nil, queue: .main) { _ in
    say("observer \(Thread.isMainThread)")
    labeler.process(image) { _, _ in NotificationCenter.default.post(name: done, object: nil) }
}
_ = center.addObserver(forName: done, object: nil, queue: .main) { _ in
    say("callback")
    exit(0)
}
let model = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "plants"))
ModelManager.modelManager().download(model, conditions: ModelDownloadConditions())
if CommandLine.arguments.contains("runloop") { RunLoop.main.run() } else { dispatchMain() }
