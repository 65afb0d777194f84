// Clients that begin to listen: nothing is pushed before the reply to the command that began it,
// however long that takes. A client takes what comes first for the reply.

import t, { type Test } from 'tap'
import { Audit, type AuditEntry } from '../../../src/identity/audit.js'
import { startGateway } from '../../support/live-gateway.js'
import { encode, RespClient } from '../../support/resp-client.js'

/** A gateway whose audit waits before it writes an entry, two clients, and the acts it wrote. */
async function slowAudit(t: Test) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const { redis } = gateway.ports
  const [client, other] = [await RespClient.open(redis), await RespClient.open(redis)]
  const acts: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const { record } = Audit.prototype
  Audit.prototype.record = async function (entry: AuditEntry) {
    begin()
    await released
    acts.push(entry.act)
    return record.call(this, entry)
  }
  t.teardown(() => {
    Audit.prototype.record = record
    client.close()
    other.close()
  })
  return { client, other, acts, begun, release }
}

t.test('MONITOR is answered before it shows a command', async (t) => {
  const { client, other, acts, begun, release } = await slowAudit(t)
  client.send(encode(['MONITOR']))
  await begun
  t.equal(await other.call('SET', 'before', '1'), '+OK')
  release()
  t.equal(await client.next(), '+OK')
  t.equal(await other.call('SET', 'after', '1'), '+OK')
  t.match(await client.next(), /"SET" "after" "1"$/)
  t.same(acts, ['redis:monitor'])
})

t.test('SUBSCRIBE of a transaction is answered before its messages', async (t) => {
  const { client, other, acts, begun, release } = await slowAudit(t)
  await client.call('MULTI')
  await client.call('SUBSCRIBE', 'a')
  await client.call('CONFIG', 'RESETSTAT')
  client.send(encode(['EXEC']))
  await begun
  t.equal(await other.call('PUBLISH', 'a', 'x'), ':1')
  release()
  t.same(await client.next(), ['*2', ['*3', '$subscribe', '$a', ':1'], '+OK'])
  t.same(await client.next(), ['*3', '$message', '$a', '$x'])
  t.equal(await other.call('PUBLISH', 'a', 'y'), ':1')
  t.same(await client.next(), ['*3', '$message', '$a', '$y'])
  t.same(acts, ['redis:config|resetstat'], 'what a transaction runs is audited too')
})
