#!/bin/sh
# Prints the notes of one version, as CHANGELOG.md has them. Its heading may be "## 1.2.0", "## v1.2.0 - 2026-01-31"
# or "## [1.2.0](LINK)".
#
#   scripts/release-notes.sh 1.2.0
set -eu

if [ $# -ne 1 ]; then
	echo "usage: scripts/release-notes.sh VERSION" >&2
	exit 2
fi
CDPATH='' cd "$(dirname "$0")/.."

VERSION=${1#v} awk '
	BEGIN { version = ENVIRON["VERSION"] }
	{ sub(/\r$/, "") }
	/^## / {
		if (found) exit
		name = $2
		sub(/^\[/, "", name)
		sub(/\].*/, "", name)
		sub(/^v/, "", name)
		# As texts: as numbers 1.1 would be 1.10.
		if (name "" == version "") { found = 1; next }
	}
	found { notes = notes $0 "\n" }
	END {
		gsub(/^\n+|\n+$/, "", notes)
		if (!found || notes == "") {
			print "release-notes: CHANGELOG.md has no notes for " version "; they follow a line \"## " version "\"" > "/dev/stderr"
			exit 1
		}
		print notes
	}
' CHANGELOG.md
