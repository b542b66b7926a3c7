import Foundation

/// The groups of a person, as a provider states them in claims.
struct OpenIDGroups: Sendable, Hashable {
    /// The reason why claims name no groups.
    enum Absence: Sendable, Hashable {
        /// There is no such claim.
        case missing
        /// The claim is neither a text nor a list of texts.
        case unreadable
        /// The person is in more groups than the provider writes into a token (OpenID Connect Core 1.0, section 5.6.2; Entra ID).
        case tooMany
    }

    /// The groups: a text is one group, anything but a text or a list of texts none.
    var names: Set<String> = []
    /// The reason why there are no names; nil if the provider states the groups, also if there are none.
    var absence: Absence?

    init(in claims: [String: OpenIDSignature.Claim], named claim: String) {
        if let value = claims[claim], !value.isNull {
            names = Set(value.value?.texts ?? [])
            absence = value.value == nil ? .unreadable : nil
        } else {
            let isLeftOut = claims["_claim_names"]?.members.contains(claim) ?? false
            absence = isLeftOut || claims["hasgroups"] != nil ? .tooMany : .missing
        }
    }

    /// Why a person has no role, and the next step.
    ///
    /// - Parameter claim: The claim in which the hub looks.
    func explanation(claim: String) -> String {
        switch absence {
        case nil: "none of its groups has a role in this hub; ask the operator of the hub for one."
        case .missing:
            "the sign-in provider's token has no claim \"\(claim)\" with its groups; ask the operator of the hub to add the claim at the "
                + "provider, or to name another one with --oidc-groups-claim."
        case .unreadable:
            "the claim \"\(claim)\" of the sign-in provider's token is not a list of groups; ask the operator of the hub to correct it at the "
                + "provider, or to name another one with --oidc-groups-claim."
        case .tooMany:
            "it is in so many groups that the sign-in provider left them out of its token; ask the operator of the hub to limit the claim "
                + "\"\(claim)\" at the provider to the groups that are assigned to this application."
        }
    }
}
