#!/bin/sh
# Checks the front matter of SKILL.md; the rules are in docs/writing-skills.md.
#
#   scripts/check-skill.sh [FILE]
#
# Without FILE it is the SKILL.md of this repository.
set -eu

[ $# -gt 0 ] || CDPATH='' cd "$(dirname "$0")/.."
file=${1:-SKILL.md}
if [ ! -f "$file" ]; then
	echo "$file: not there" >&2
	exit 1
fi
folder=$(CDPATH='' cd "$(dirname "$file")" && basename "$PWD")

# Bytes, not characters, so that every awk counts alike; size() leaves UTF-8 continuation bytes out.
FILE=$file FOLDER=$folder LC_ALL=C awk '
	function fault(text) { print file ": " text > "/dev/stderr"; faults++ }
	function at(text) { fault("line " NR ": " text) }
	function size(text) { gsub(/[\200-\277]/, "", text); return length(text) }
	function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
	# plain is a text without quotes, less a comment.
	function plain(text) {
		sub(/(^|[ \t])#.*/, "", text)
		text = trim(text)
		if (text ~ /:([ \t]|$)/) at("a colon followed by a space or the end makes this a map; put the text in quotes, or below >-")
		return text
	}
	# value is what begins behind "key:"; more says whether it may go on in the next line.
	function value(text) {
		text = trim(text)
		more = 0
		if (match(text, /^"([^"\\]|\\.)*"/) || match(text, /^\047([^\047]|\047\047)*\047/)) {
			if (substr(text, RLENGTH + 1) !~ /^([ \t]+#.*)?$/) at("there is something behind the closing quote")
			return substr(text, 2, RLENGTH - 2)
		}
		if (text ~ /^["\047]/) at("the quote is not closed on its line; put a longer text below >-")
		else if (text ~ /^[][{}&*!|>%@`,]/ || text ~ /^[-?:]([ \t]|$)/) at("a plain text can not begin so; put it in quotes, or below >-")
		more = 1
		return plain(text)
	}
	BEGIN {
		file = ENVIRON["FILE"]
		split("name description license compatibility metadata allowed-tools", list)
		for (i in list) known[list[i]] = 1
	}
	{ sub(/\r$/, "") }
	NR == 1 {
		if ($0 != "---") { fault("line 1 is not ---: the front matter is missing"); exit }
		inside = 1
		next
	}
	inside && $0 == "---" { inside = 0; closed = 1; next }
	closed { if (/[^ \t]/) body = 1; next }
	/^[ \t]*$/ { next }
	/^ / && block { field[key] = field[key] (field[key] == "" ? "" : " ") trim($0); next }
	/^ *#/ { next }
	/^ / && key == "metadata" {
		if (/^ +[^ :]+:([ \t]|$)/) value(substr($0, index($0, ":") + 1))
		else at("an entry of metadata has the form \"  key: value\"")
		next
	}
	/^ / && more {
		field[key] = field[key] == "" ? value($0) : field[key] " " plain($0)
		next
	}
	/^[A-Za-z][A-Za-z0-9_-]*:([ \t]|$)/ {
		key = substr($0, 1, index($0, ":") - 1)
		if (key in field) at(key " is there twice")
		else if (!(key in known)) at(key " is no field of a skill; put what is your own below metadata")
		text = substr($0, index($0, ":") + 1)
		block = text ~ /^[ \t]+[>|][-+1-9]*[ \t]*$/
		field[key] = block ? "" : value(text)
		next
	}
	{ at("a field has the form \"name: value\", and what belongs to it follows indented with spaces") }
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
		}
		if (faults) exit 1
		if (field["name"] != ENVIRON["FOLDER"])
			print file ": note: agents look for it in a folder " field["name"] ", and this one is called " ENVIRON["FOLDER"]
		print file ": ok, skill " field["name"]
	}
' < "$file"
