import Foundation

/// The HTTP proxy in the environment for an https address, by curl's rules: `https_proxy`, `HTTPS_PROXY`, `all_proxy`
/// or `ALL_PROXY`.
///
/// `no_proxy` or `NO_PROXY` lists hosts to reach without a proxy: names, which include their subdomains, or `*`. This
/// machine itself is always reached without a proxy, and so are plain http addresses, because proxies open no tunnels
/// to them. (curl's manual, "Environment")
struct ProxyEnvironment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) { self.variables = variables }

    /// A proxy and its credentials.
    struct Proxy: Sendable, Hashable {
        var host: String
        var port: Int
        var user: String?
        var password: String?
    }

    /// A reason why a proxy cannot be used.
    struct Unusable: Error {
        let text: String
    }

    /// The proxy for an address; nil for a direct connection.
    ///
    /// - Throws: ``Unusable`` if the variable does not contain an HTTP proxy: a direct connection may be contrary to
    ///   the user's intention.
    func proxy(for url: URL) throws(Unusable) -> Proxy? {
        guard url.scheme?.lowercased() == "https", let host = url.host()?.lowercased(), !isExempt(host, url.port),
            let text = first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
        else { return nil }
        let address = text.contains("://") ? text : "http://\(text)"
        guard let proxy = URL(string: address), proxy.scheme?.lowercased() == "http", let name = proxy.host(),
            !name.isEmpty
        else { throw Unusable(text: text) }
        return Proxy(
            host: name,
            port: proxy.port ?? 1080,
            user: proxy.user(percentEncoded: false),
            password: proxy.password(percentEncoded: false)
        )
    }

    private func first(_ names: [String]) -> String? {
        names.lazy.compactMap { variables[$0] }.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func isExempt(_ host: String, _ port: Int?) -> Bool {
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        if bare == "localhost" || bare == "::1" || bare.hasPrefix("127.") { return true }
        let list = (first(["no_proxy", "NO_PROXY"]) ?? "").lowercased()
        return list.split(whereSeparator: { $0 == "," || $0.isWhitespace }).contains { entry in
            if entry == "*" { return true }
            var name = entry.hasPrefix(".") ? entry.dropFirst() : entry
            // A port follows the only colon; several colons mean an IPv6 address.
            if name.count(where: { $0 == ":" }) == 1, let colon = name.firstIndex(of: ":") {
                guard Int(name[name.index(after: colon)...]) == port else { return false }
                name = name[..<colon]
            }
            return !name.isEmpty && (bare == name || bare.hasSuffix("." + name))
        }
    }
}
