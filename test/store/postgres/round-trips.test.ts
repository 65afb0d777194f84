// Commands of thousands of keys, members or documents that read ahead: few statements in all, where
// one for each would hold up the other writes of their gateway.

import t from 'tap'
import { Link } from '../../../src/store/postgres/link.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { mongoOn, redisOn } from '../../support/shared-pair.js'
import { sharedAddress } from '../../support/shared-stores.js'

const count = 800
/** Far below one for each, and above what the background jobs read meanwhile. */
const statementsMax = count / 4

t.test('large commands that read ahead', { skip: postgresMissing }, async (t) => {
  const gateway = await startGateway(t, { STORE: await sharedAddress(t), DURABILITY: 'none' })
  const keys = redisOn(t, gateway)
  const documents = (await mongoOn(t, gateway))
    .db('main')
    .collection<{ _id: number; n: number }>('c')
  await documents.createIndex({ n: 1 })
  const names = Array.from({ length: count }, (_, i) => `k${i}`)
  const ids = names.map((_, i) => i)
  const few: Record<string, () => Promise<unknown>> = {
    MGET: () => keys.mget(names),
    EXISTS: () => keys.exists(...names),
    'HSET of a new key': () =>
      keys.hset(
        'h',
        names.flatMap((name) => [name, 1]),
      ),
    'SADD of a new key': () => keys.sadd('s', names),
    'ZADD of a new key': () => keys.zadd('z', ...names.flatMap((name, i) => [i, name])),
    RPUSH: () => keys.rpush('l', ...names),
  }
  for (const [name, act] of Object.entries(few)) await requireFew(name, act)
  await documents.insertMany(ids.map((i) => ({ _id: i, n: i })))
  await requireFew('updateMany', () => documents.updateMany({}, { $inc: { n: 1 } }))
  await requireFew('deleteMany', () => documents.deleteMany({ _id: { $in: ids } }))

  async function requireFew(name: string, act: () => Promise<unknown>): Promise<void> {
    const before = sent
    await act()
    t.ok(sent - before < statementsMax, `${name}: ${sent - before} statements read keys`)
  }
})

let sent = 0
const { run } = Link.prototype
Link.prototype.run = function (statement, values) {
  if (statement.name === 'points') sent++
  return run.call(this, statement, values)
}
t.teardown(() => {
  Link.prototype.run = run
})
