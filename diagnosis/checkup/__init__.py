"""What an app's telemetry allows to tell, from some of its requests."""

from .advice import changes
from .lacking import Observed, observe
from .telling import NEEDS, told

__all__ = ["NEEDS", "Observed", "changes", "observe", "told"]
