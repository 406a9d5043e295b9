"""What a drawing leaves out, added to its process before it is compiled."""
