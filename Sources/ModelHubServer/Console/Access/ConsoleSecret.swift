import Hummingbird

/// A page that shows a secret once.
struct ConsoleSecret: Sendable {
    var title: String
    var text: String
    var secret: String
    /// Whether the secret has several lines.
    var isLong: Bool
    var back: String
    var backTitle: String
}

/// A page that asks whether to do what cannot be undone.
struct ConsoleConfirmation: Sendable {
    var title: String
    var text: String
    /// The text of the button.
    var action: String
    var back: String
    var backTitle: String
    /// The path that receives the form.
    var path: String
}

extension Response {
    /// Shows a secret once. Browsers do not keep the page.
    static func secret(_ chrome: ConsoleChrome, _ secret: ConsoleSecret) -> Response {
        .page("secret", chrome, secret)
    }

    /// Asks whether to do what cannot be undone.
    static func confirmation(_ chrome: ConsoleChrome, _ confirmation: ConsoleConfirmation) -> Response {
        .page("confirmation", chrome, confirmation)
    }
}
