"""`python -m gearwright` is the command line."""

from gearwright.cli import main

if __name__ == "__main__":
    main()
