"""The tools a model may call: a file a tool."""

from harness.tools.base import Tool, ToolError, validate
from harness.tools.toolbox import registry

__all__ = ["Tool", "ToolError", "registry", "validate"]
