/// The responses of a preview server at a moment.
struct PreviewSite {
    let port: Int
    /// Whether another browser may watch.
    let hasRoom: Bool
    private let shared: PreviewState

    init(_ shared: PreviewState, port: Int, hasRoom: Bool) {
        self.shared = shared
        self.port = port
        self.hasRoom = hasRoom
    }

    /// The names of the server in requests. Another name that resolves to this machine must not give access to the pictures.
    var hosts: [String] { ["127.0.0.1", "localhost", "127.0.0.1:\(port)", "localhost:\(port)"] }

    /// The text below the picture.
    var caption: String { shared.caption }

    /// The page with the picture, its caption, and a sentence after the end.
    var page: String {
        let title = Self.escaped(shared.title)
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title) – Sightline</title>
            <style>
            body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: #16181d; color: #d8dce4;
              font: 15px/1.4 system-ui, sans-serif }
            h1, p { margin: 0; padding: .6rem 1rem; font-size: inherit; overflow-wrap: anywhere }
            p { font-variant-numeric: tabular-nums; min-height: 1.4em }
            main { flex: 1; min-height: 0; text-align: center }
            img { max-width: 100%; max-height: 100% }
            </style>
            <h1>\(title)</h1>
            <main><img src="/stream" alt="The newest frame"></main>
            <p id="caption"></p>
            <script>
            const caption = document.getElementById("caption")
            let failures = 0
            const timer = setInterval(async () => {
              try {
                const answer = await fetch("/caption")
                if (answer.ok) { caption.textContent = await answer.text(); failures = 0 }
              } catch {
                if (++failures < 3) return
                clearInterval(timer)
                caption.textContent += " · The stream has ended."
              }
            }, 500)
            </script>
            </html>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
