// `sigil spaces move` in a process of its own that kills itself: at the n-th write of the move,
// while that is under way or once it was acknowledged.
//
// Usage: move-child <folder> <wallet> <pattern> <n> <during | behind>

import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { moveSpaces } from '../../src/cli/spaces/move-spaces.js'
import { openStore } from '../../src/store/open.js'

const [folder = '', wallet = '', pattern = '', n = '', when = ''] = process.argv.slice(2)
const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
const store = await openStore(`lmdb:${folder}`, options)
const write = store.write.bind(store)
let writes = 0
store.write = (...given) => {
  writes++
  const isLast = writes === Number(n)
  if (!isLast) return write(...given)
  const done = write(...given)
  // It may be refused, to have large values written before it.
  if (when === 'behind') return Promise.resolve(done).then(end, end)
  setImmediate(end)
  return done
}
await moveSpaces(
  { store, database: 'main', now: systemClock.now(), say: () => undefined },
  { wallet, pattern },
)
await store.close()

function end(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('the signal ends it')
}
