"""What is drawn: placing (numpy) and painting, without knowing session or views."""
