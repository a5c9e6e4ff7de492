package catalog

import "C"
