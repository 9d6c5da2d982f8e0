"""Small widgets made the same way everywhere."""
