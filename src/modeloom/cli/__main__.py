# SPDX-License-Identifier: Apache-2.0
"""``python -m modeloom.cli``: the command line without its installed script."""

from modeloom.cli import main

if __name__ == "__main__":
    main()
