"""softmax(Q K' / sqrt(d_head)) V by torch's fused kernels, which never store the weights."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

# cuDNN takes a tenth of a second to prepare each new shape of batch, and 1.9 the first one.
torch.backends.cuda.enable_cudnn_sdp(False)


class FusedAttention:
    """The same as `WrittenOutAttention` without dropout; autograd runs the kernel's own backward."""

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """[B, H, T, d_head], [B, H, S, d_head] -> [B, H, T, d_head]; the mask [B, 1, T, S] is added to scores."""
        q, k, v = (part.detach().requires_grad_() for part in (queries, keys, values))
        with torch.enable_grad():
            self._output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        self._inputs = q, k, v
        return self._output.detach()

    def backward(self, gradient: Tensor, d_queries: Tensor, d_keys: Tensor, d_values: Tensor) -> None:
        """Given the gradient of the output, write those of queries, keys and values."""
        gradients = torch.autograd.grad(self._output, self._inputs, gradient)
        del self._inputs, self._output
        for written, computed in zip((d_queries, d_keys, d_values), gradients, strict=True):
            written.copy_(computed)
