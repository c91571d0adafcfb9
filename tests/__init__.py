"""The tests; a package, so that its helpers are found before any other `tests`."""
