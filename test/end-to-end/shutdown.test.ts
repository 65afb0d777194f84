// The command `shutdown` ends a process as a signal does: what is in flight is answered, what was
// written is there at the next start, and only the operator may.

import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

t.test('shutdown answers, and the process ends well', async (t) => {
  const settings = settingsFor(await temporaryFolder(t))
  const first = await startSigil(settings)
  const gone = once(first.child, 'close')
  const uri = (port: number) => `mongodb://operator:${testKey}@127.0.0.1:${port}/main`
  const client = await MongoClient.connect(uri(first.wirePort))
  await client.db('main').collection<{ _id: number }>('rows').insertOne({ _id: 1 })
  await t.rejects(client.db('main').command({ shutdown: 1 }), { code: 13 }, 'on admin alone')
  t.match(await client.db('admin').command({ shutdown: 1 }), { ok: 1 })
  await client.close()
  t.same(await gone, [0, null])
  t.equal(first.errors(), '')
  const second = await startSigil(settings)
  const later = await MongoClient.connect(uri(second.wirePort))
  t.same(await later.db('main').collection('rows').find().toArray(), [{ _id: 1 }])
  await later.close()
  t.equal((await endSigil(second, 'SIGTERM')).code, 0)
})

t.test('SIGUSR1 opens no debugger, and SIGUSR2 does not end the process', async (t) => {
  const sigil = await startSigil(settingsFor(await temporaryFolder(t)))
  sigil.child.kill('SIGUSR1')
  sigil.child.kill('SIGUSR2')
  const uri = `mongodb://operator:${testKey}@127.0.0.1:${sigil.wirePort}/main`
  const client = await MongoClient.connect(uri)
  t.equal((await client.db('main').command({ ping: 1 })).ok, 1)
  await client.close()
  t.equal((await endSigil(sigil, 'SIGTERM')).code, 0)
  t.notMatch(sigil.errors(), /Debugger/)
})
