"""Attacks on signing in."""

from ..attacked import PROJECT, Hub, attack


@attack()
def tokens_cannot_be_guessed_as_fast_as_one_likes(hub: Hub) -> str | None:
    """A stranger who tries one token after another is slowed down."""
    statuses = [
        hub.request("GET", f"/v1beta2/projects/{PROJECT}/models", token=f"guess-{number}")[0] for number in range(100)
    ]
    assert 200 not in statuses, "a made-up token was taken"
    assert 429 in statuses, "100 wrong tokens in a row were not slowed down"
    return f"{statuses.count(401)} tokens refused, {statuses.count(429)} slowed down"
