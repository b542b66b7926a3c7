import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ZoneDrawing

/// The style sheet, script and picture of the console's pages. Their addresses contain their hashes, so that browsers
/// can cache them permanently.
enum ConsoleAssets {
    private struct Asset {
        var type: String
        var bytes: [UInt8]
        var tag: String

        init(_ type: String, _ bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
            tag = SHA256.hash(data: bytes).prefix(8).hexadecimalText
        }
    }

    private static let assets = [
        "boxes.js": Asset("text/javascript; charset=utf-8", PackageResources.boxes_js),
        "console.css": Asset("text/css; charset=utf-8", PackageResources.console_css),
        "console.js": Asset("text/javascript; charset=utf-8", PackageResources.console_js),
        "drawing.css": Asset("text/css; charset=utf-8", ZoneDrawing.style),
        "drawing.js": Asset("text/javascript; charset=utf-8", ZoneDrawing.script),
        "icon.svg": Asset("image/svg+xml", PackageResources.icon_svg),
    ]

    /// The path of an asset.
    static func path(_ name: String) -> String { "/console/assets/\(assets[name]?.tag ?? "-")/\(name)" }

    static func response(_ name: String) throws(HubError) -> Response {
        guard let asset = assets[name] else { throw HubError.entityNotFound }
        return Response(
            status: .ok,
            headers: [.contentType: asset.type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes))
        )
    }
}
