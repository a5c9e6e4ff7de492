#!/bin/sh
# Checks the front matter of SKILL.md; the rules are in docs/writing-skills.md.
#
#   scripts/check-skill.sh [FILE]
set -eu

cd "$(dirname "$0")/.."
file=${1:-SKILL.md}
if [ ! -f "$file" ]; then
	echo "$file: not there" >&2
	exit 1
fi

# Bytes, not characters, so that every awk counts alike; size() leaves UTF-8 continuation bytes out.
LC_ALL=C awk -v file="$file" '
	function fault(text) { print file ": " text > "/dev/stderr"; faults++ }
	function size(text) { gsub(/[\200-\277]/, "", text); return length(text) }
	function value(text) {
		sub(/[ \t\r]+$/, "", text)
		if (text ~ /^".*"$/ || text ~ /^\047.*\047$/) text = substr(text, 2, length(text) - 2)
		return text
	}
	{ sub(/\r$/, "") }
	NR == 1 {
		if ($0 != "---") { fault("line 1 is not ---: the front matter is missing"); exit }
		inside = 1
		next
	}
	inside && $0 == "---" { inside = 0; closed = 1; next }
	inside && /^[A-Za-z][A-Za-z0-9_-]*:/ {
		key = substr($0, 1, index($0, ":") - 1)
		if (key in field) fault("line " NR ": " key " is there twice")
		text = substr($0, index($0, ":") + 1)
		sub(/^[ \t]+/, "", text)
		if (text ~ /^[>|][+-]?[ \t]*$/) text = ""
		field[key] = value(text)
		next
	}
	inside && /^[ \t]+[^ \t]/ && key != "" {
		text = $0
		sub(/^[ \t]+/, "", text)
		field[key] = field[key] (field[key] == "" ? "" : " ") value(text)
		next
	}
	closed && /[^ \t]/ { body = 1 }
	END {
		if (NR == 0) fault("empty")
		else if (inside) fault("the front matter has no closing ---")
		else if (closed) {
			if (field["name"] == "") fault("name is missing")
			else if (field["name"] !~ /^[a-z0-9]+(-[a-z0-9]+)*$/)
				fault("name \"" field["name"] "\": use a-z, 0-9 and single hyphens between them")
			else if (length(field["name"]) > 64) fault("name is longer than 64 characters")
			if (field["description"] == "") fault("description is missing")
			else if (size(field["description"]) > 1024) fault("description is longer than 1,024 characters")
			if (size(field["compatibility"]) > 500) fault("compatibility is longer than 500 characters")
			if (!body) fault("there is nothing after the front matter")
			if (NR > 500) print file ": note: " NR " lines; move details into references/"
		}
		if (faults) exit 1
		print file ": ok, skill " field["name"]
	}
' "$file"
