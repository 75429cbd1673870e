"""What assistants can call: commands as tools, with their options as arguments and their answers as text and data."""
