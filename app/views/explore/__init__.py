"""Explore: a text, its tokens under each open model, the lattice, the best paths.

The workspace is imported when it is first named: so its parts can be brought in one by one while
the window is on the screen already.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.views.explore.workspace import ExploreWorkspace

__all__ = ["ExploreWorkspace"]

# A type checker knows the name from above; this one would let any other name pass.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import the workspace."""
        if name != "ExploreWorkspace":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from app.views.explore.workspace import ExploreWorkspace

        return ExploreWorkspace
