"""What does evaluating code do besides giving a value?"""
