// Package dropin holds the tests of what other tools take from this repository: action.yml, .pre-commit-hooks.yaml, templates/,
// the Dockerfile and .ci/release. Each test runs the very lines that the tool would run, in a temporary folder; docs/ci.md
// shows how a team uses them.
package dropin
