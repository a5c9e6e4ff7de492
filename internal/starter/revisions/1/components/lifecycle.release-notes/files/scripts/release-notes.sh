#!/bin/sh
# Prints the notes of one version, as CHANGELOG.md has them.
#
#   scripts/release-notes.sh 1.2.0
set -eu

if [ $# -ne 1 ]; then
	echo "usage: scripts/release-notes.sh VERSION" >&2
	exit 2
fi
cd "$(dirname "$0")/.."

awk -v version="${1#v}" '
	/^## / {
		if (found) exit
		name = $2
		gsub(/^\[|\]$/, "", name)
		if (name == version) { found = 1; next }
	}
	found { notes = notes $0 "\n" }
	END {
		gsub(/^\n+|\n+$/, "", notes)
		if (!found || notes == "") {
			print "release-notes: CHANGELOG.md has no notes for " version > "/dev/stderr"
			exit 1
		}
		print notes
	}
' CHANGELOG.md
