"""The kernels that training uses on a GPU against Torch's own layers. Without a GPU they run where
TRITON_INTERPRET=1 is set and Triton is installed, and are skipped elsewhere.
"""

import copy
import os
import unittest

try:
    import torch
    from sightline_training import fused
    from torch.nn import functional
except ImportError:
    torch = None

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
ABLE = torch is not None and fused.triton is not None and (INTERPRETED or torch.cuda.is_available())


@unittest.skipUnless(ABLE, "there is no Triton, or no NVIDIA GPU")
class FusedTests(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.device = "cpu" if INTERPRETED else "cuda"

    def map(self):
        return (torch.randn(3, 70, 5, 5, device=self.device) * 2 + 1).requires_grad_()

    def test_normalization_answers_and_learns_as_torch_does(self):
        for cut in (True, False):
            x, own = self.map(), torch.nn.BatchNorm2d(70, eps=1e-3, momentum=0.03).to(self.device)
            torch.nn.init.uniform_(own.weight, 0.5, 3)
            other = copy.deepcopy(own)
            wanted = functional.relu6(other(x)) if cut else other(x)
            growth = torch.randn_like(wanted)
            gradient = torch.autograd.grad(wanted, [x, other.weight, other.bias], growth)
            found = fused.normalized(x, own, cut)
            torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)
            mine = torch.autograd.grad(found, [x, own.weight, own.bias], growth)
            for one, another in zip([*mine, *own.buffers()], [*gradient, *other.buffers()]):
                torch.testing.assert_close(one, another, atol=1e-3, rtol=1e-3)

    def test_losses_of_scores_are_those_of_torch(self):
        from sightline_training.train_detector import SCORES, score_losses, teacher_losses

        logits = (torch.randn(2, 37, SCORES, device=self.device) * 4).requires_grad_()
        wanted = torch.rand_like(logits) * (torch.rand_like(logits) < 0.03)
        wanted[..., -1] = wanted[..., :-1].amax(-1)
        taught, boxes = torch.rand(2, 37, SCORES - 1, device=self.device) ** 4, torch.rand(2, 37, 4, device=self.device)
        answers = []
        usable = fused.usable
        for able in (True, False):
            fused.usable = lambda _, able=able: able
            try:
                scores, names = score_losses(logits, wanted)
                loss = scores * 0.7 + names * 0.3 + teacher_losses(logits, boxes, taught, boxes)[0]
                answers.append([loss.detach(), *torch.autograd.grad(loss, logits)])
            finally:
                fused.usable = usable
        for mine, theirs in zip(*answers):
            torch.testing.assert_close(mine, theirs, atol=1e-4, rtol=1e-4)

    def test_a_summand_and_a_leaky_cut_in_one(self):
        x, summand = self.map(), torch.randn(70, device=self.device)
        wanted = functional.leaky_relu(x + summand[:, None, None], 0.1)
        torch.testing.assert_close(fused.shifted(x, summand, 0.1), wanted)


if __name__ == "__main__":
    unittest.main()
