/// The pages of a preview: the newest picture as a stream, and its caption.
struct PreviewSite: LoopbackSite {
    /// The title of the page.
    let title: String
    let shared: PreviewState

    func answer(to path: String) -> LoopbackAnswer? {
        switch path {
        case "/": .page(page)
        case "/caption": .text(shared.caption)
        case "/stream": .stream
        default: nil
        }
    }

    /// The page with the picture, its caption, and a sentence after the end.
    private var page: String {
        let title = Self.escaped(title)
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
}
