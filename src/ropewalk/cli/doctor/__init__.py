"""What a file is and what can be asked of it; and whether this installation is sound."""
