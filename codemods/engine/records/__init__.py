"""What does a campaign remember, and who did what when? One database for all of them."""
