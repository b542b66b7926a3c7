"""Training steps recorded as CUDA graphs.

A step has thousands of small kernels, which a CPU starts more slowly than a GPU runs them.
"""

from collections.abc import Callable, Iterable

import torch

# What a step answers: the loss, and numbers to print.
Step = Callable[[], tuple[torch.Tensor, dict[str, torch.Tensor]]]

# So many steps run before one is recorded, so that all memory is there and all kernels are compiled.
BEFORE = 2


class Captured:
    """Records a step with its gradients, and runs it again; all that differs between steps lies in tensors that stay
    where they are, or follows from the seed.
    """

    def __init__(self, modules: Iterable[torch.nn.Module]) -> None:
        self.parameters = [parameter for module in modules for parameter in module.parameters()]
        self.key: int | None = None
        self.graph: torch.cuda.CUDAGraph
        self.answer: tuple[torch.Tensor, dict[str, torch.Tensor]]

    def run(self, key: int, step: Step) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The answers of `step`, with the gradients in place; a new key records again. The answers are overwritten by
        the next run.
        """
        if key != self.key:
            self.record(step)
            self.key = key
        self.graph.replay()
        return self.answer

    def forget(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def record(self, step: Step) -> None:
        if self.key is not None:
            del self.graph, self.answer
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(BEFORE):
                self.forget()
                step()[0].backward()
        torch.cuda.current_stream().wait_stream(stream)
        # Gradients that are there would be added to; those that are missing get a place in the graph.
        self.forget()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            loss, numbers = step()
            loss.backward()
        self.answer = loss.detach(), numbers
