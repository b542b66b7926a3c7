import Foundation

/// The HTTP proxy that the environment names for an https address, by curl's rules: `https_proxy`, `HTTPS_PROXY`, `all_proxy` or
/// `ALL_PROXY`.
///
/// `no_proxy` or `NO_PROXY` lists hosts that are reached without: names, which stand for what lies below them too, or `*`. This
/// machine itself is always reached without, and so are plain http addresses, to which proxies open no tunnels. (curl's manual,
/// "Environment")
struct ProxyEnvironment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) { self.variables = variables }

    /// A proxy, and who asks it.
    struct Proxy: Sendable, Hashable {
        var host: String
        var port: Int
        var user: String?
        var password: String?
    }

    /// Why a proxy cannot be used.
    struct Unusable: Error {
        let text: String
    }

    /// The proxy for an address; nil for none.
    ///
    /// - Throws: ``Unusable`` if one is named that is no HTTP proxy: going without it may not be what was meant.
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
            // A port after the only colon; more of them are an IPv6 address.
            if name.count(where: { $0 == ":" }) == 1, let colon = name.firstIndex(of: ":") {
                guard Int(name[name.index(after: colon)...]) == port else { return false }
                name = name[..<colon]
            }
            return !name.isEmpty && (bare == name || bare.hasSuffix("." + name))
        }
    }
}
