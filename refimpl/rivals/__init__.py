"""The methods that the papers compare against, each from its own source."""
