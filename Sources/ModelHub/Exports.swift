// RetryPolicy, which the public interface of this module uses.
@_exported public import ModelHubProtocol
