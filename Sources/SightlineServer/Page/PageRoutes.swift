import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore

/// A small page to try the server: drop a photo on it and see the boxes.
struct PageRoutes {
    func add(to routes: inout AnswerRoutes) {
        add("/", PackageResources.index_html, "text/html; charset=utf-8", to: &routes)
        add("page/page.css", PackageResources.page_css, "text/css; charset=utf-8", to: &routes)
        add("page/page.js", PackageResources.page_js, "text/javascript; charset=utf-8", to: &routes)
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
