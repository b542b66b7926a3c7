import Firebase
import FirebaseMLModelDownloader

// A program that tests run in a process of its own, since the main function of a test process is asynchronous: a program that waits for
// callbacks in a run loop, or in dispatchMain().
//
// `FirebaseCallbackProbe runloop|dispatch` starts a download without a hub. It says "observer" and whether it is on the main thread
// when an observer on the main queue hears of its end, and "callback" when another hears what the downloader's completion posts.

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let done = Notification.Name("FirebaseCallbackProbe")
let center = NotificationCenter.default
_ = center.addObserver(forName: .firebaseMLModelDownloadDidFail, object: nil, queue: .main) { _ in
    say("observer \(Thread.isMainThread)")
    ModelDownloader.modelDownloader().listDownloadedModels { _ in
        NotificationCenter.default.post(name: done, object: nil)
    }
}
_ = center.addObserver(forName: done, object: nil, queue: .main) { _ in
    say("callback")
    exit(0)
}
ModelManager.modelManager().download(
    CustomRemoteModel(name: "plants"),
    conditions: Firebase.ModelDownloadConditions()
)
if CommandLine.arguments.contains("runloop") { RunLoop.main.run() } else { dispatchMain() }
