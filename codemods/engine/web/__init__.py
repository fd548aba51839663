"""A campaign's review in a browser: pages, what they ask for, and who may."""
