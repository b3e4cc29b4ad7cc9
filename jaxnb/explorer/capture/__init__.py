"""Front ends: one protocol of plain data, and one adapter for each front end."""
