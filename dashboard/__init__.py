"""What a person sees: the hub process and its pages. Streamlit is loaded when a hub is started, not before.

from pathlib import Path

from goldrank.dashboard import serve

exit_code = serve(Path(".goldrank"), port=8501, open_browser=True)
"""

from __future__ import annotations

from .hub import serve

__all__ = ["serve"]
