import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore

/// A small page to try the server: drop a photo on it and see the boxes.
struct PageRoutes {
    let shadows: Shadows

    func add(to routes: inout AnswerRoutes) {
        add("/", index, "text/html; charset=utf-8", to: &routes)
        if !shadows.all.isEmpty {
            add("shadows", PackageResources.shadows_html, "text/html; charset=utf-8", to: &routes)
            add("page/shadows.js", PackageResources.shadows_js, "text/javascript; charset=utf-8", to: &routes)
        }
        add("page/page.css", PackageResources.page_css, "text/css; charset=utf-8", to: &routes)
        add("page/page.js", PackageResources.page_js, "text/javascript; charset=utf-8", to: &routes)
    }

    /// The page, which says what the server does with pictures besides answering.
    private var index: [UInt8] {
        guard !shadows.all.isEmpty else { return PackageResources.index_html }
        let notice =
            shadows.kept == nil
            ? "Another version answers some pictures again, unseen."
            : "Another version answers some pictures again, unseen. This server keeps pictures that both answer differently."
        let page = String(decoding: PackageResources.index_html, as: UTF8.self)
        return Array(
            page.replacing("</footer>", with: "<p>\(notice) <a href=\"shadows\">Details</a></p></footer>").utf8
        )
    }

    private func add(_ path: String, _ file: [UInt8], _ type: String, to routes: inout AnswerRoutes) {
        let body = ByteBuffer(bytes: file)
        routes.on(.get, .head, at: path, for: .everybody) { _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: type, .contentSecurityPolicy: Self.policy, .referrerPolicy: "no-referrer",
                    .cacheControl: "no-cache",
                ],
                body: ResponseBody(byteBuffer: body)
            )
        }
        routes.refuseOtherMethods(at: path)
    }

    /// The page loads its own files and talks to its own server, and no other page may show it.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
        + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = named("referrer-policy")
}
