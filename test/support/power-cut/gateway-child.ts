// A process that starts a whole gateway for the first time, uses its chain, and ends: every file of
// the data folder is written under the recorder. It tells `ready` and `closed`.
//
// Usage: gateway-child <room>; the data folder is <room>/store, the lines are <room>/told.

import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { firstStart } from './first-start.js'

const [room = ''] = process.argv.slice(2)
const told = openSync(join(room, 'told'), 'a')
const gateway = await firstStart(join(room, 'store'))
writeSync(told, 'ready\n')
const url = `http://127.0.0.1:${gateway.ports.http}/api/v1`
for (const path of ['registry?address=0x0000000000000000000000000000000000000001', 'auth/me']) {
  await (await fetch(`${url}/${path}`)).arrayBuffer()
}
await gateway.close()
writeSync(told, 'closed\n')
