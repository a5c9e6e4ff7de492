package planner

import _ "example.com/assert"
