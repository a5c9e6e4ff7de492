package planner

import _ "example.com/plans"
