import HTTPServing

/// The schemas of responses that all features share.
extension Schema {
    static let empty = object("An object without fields.").fields([:]).named("Empty")

    static let error = object("An error in the form of Google's APIs.").fields([
        "error": .fields([
            "code": .integer("The HTTP status."),
            "message": .text("The failure and the next step, in one sentence."),
            "status": .text("The canonical code of google.rpc.Code, such as `NOT_FOUND`."),
        ])
    ]).named("Error")

    static let nextPageToken = text("Absent on the last page.")
}
