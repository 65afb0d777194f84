// Makes every machine look the same: clients send the release of the system, and some replies hold
// the name of the host. Loaded before a recorded client, and by every fixed gateway.

import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

Object.assign(os, { hostname: () => 'sigil', release: () => '6.1.0' })
syncBuiltinESMExports()
