import HTTPServing

/// The schemas of stored objects.
extension Schema {
    static let bucket = fields([
        "kind": .constant("storage#bucket"),
        "id": .text(),
        "name": .text(),
    ]).named("Bucket")

    static let storedObject = object("An uploaded file, as in Cloud Storage's JSON API.").fields([
        "kind": .constant("storage#object"),
        "id": .text(),
        "name": .text("The name of the object."),
        "bucket": .text(),
        "size": .decimal("The size in bytes."),
        "crc32c": .text("In base64."),
        "md5Hash": .text("In base64."),
        "generation": .text(),
        "metageneration": .text(),
        "contentType": .text(),
        "timeCreated": .time("When the object was uploaded."),
        "updated": .time("When the object was uploaded."),
        "etag": .text("The SHA-256 of the content, in hexadecimal."),
        "storageClass": .text(),
    ]).named("Object")

    static let objectInput = object("The description of an upload.").fields([
        "name?": .text("The name of the object."),
        "contentType?": .text(),
    ]).open.named("ObjectInput")
}
