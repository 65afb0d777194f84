// The commands that report the use of a wallet's keys: one key by day and endpoint, or all keys.
// Each first writes the counts that are still in memory, so that its figures are complete.

import { fail } from '../../base/errors.js'
import { dayMs } from '../../base/limits/engine.js'
import { keyUseDays, keyUseDaysMax, keyUseListedMax } from '../../base/limits/identity.js'
import type { Call } from '../../bus/document/call.js'
import { anyValue, string, wholeNumber, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { dayOf, type KeyUse, useOfKey, useOfKeys } from '../../identity/keys/key-use.js'
import { readWalletKey, type WalletKey } from '../../identity/keys/wallet-keys.js'
import type { Program, ReadTx } from '../../store/store.js'
import { numberValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { ownerOf, requireHash } from './arguments.js'

const keyAnalytics = documentRow({
  name: 'keyAnalytics',
  ...plain,
  access: 'session',
  grain: 'task',
  target: string,
  params: { days: withDefault(wholeNumber, keyUseDays) },
  help:
    "Returns the number of requests by one of the caller's keys, by endpoint and by day " +
    '(UTC).',
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const { days } = call.args
    if (days < 1 || days > keyUseDaysMax) {
      throw fail('BadValue', `days must be a whole number from 1 to ${keyUseDaysMax}`)
    }
    const key = await service.ownKey(owner, requireHash(call.target))
    await usesOf(call).flush()
    const today = dayOf(call.now)
    const counted = await call.read((tx) => useOfKey(tx, key, today, days))
    return reply((writer) => {
      writer.openDocument('analytics')
      writeUse(writer, counted, today - days + 1)
      writer.close()
    })
  },
})

const analyticsOverview = documentRow({
  name: 'analyticsOverview',
  ...plain,
  access: 'session',
  grain: 'task',
  target: anyValue,
  params: {},
  help:
    "Returns the number of requests by each of the caller's keys in seven days; to the " +
    'operator, of all keys.',
  run: async (call) => {
    const isOperator = call.identity.kind === 'operator'
    const wallet = isOperator ? undefined : ownerOf(call)
    const keys = await wallet?.service.list(wallet.owner)
    const address = wallet?.owner.address
    await usesOf(call).flush()
    const today = dayOf(call.now)
    const { total, byKey } = await call.read((tx) => useOfKeys(tx, address, today, keyUseDays))
    const used = [...byKey.values()].sort((a, b) => b.count - a.count).slice(0, keyUseListedMax)
    const labels = await call.read((tx) => labelsOf(tx, used))
    return reply((writer) => {
      writer.openDocument('overview').value('totalRequests', numberValue(total))
      writer.openArray('byKey')
      for (const [i, { hash, count, address: owner }] of used.entries()) {
        writer
          .pushOpenDocument()
          .string('hash', hash)
          .string('label', labels[i] ?? '')
        writer.value('count', numberValue(count))
        if (isOperator) writer.string('address', owner)
        writer.close()
      }
      writer.close()
      if (keys !== undefined) writer.value('keys', numberValue(keys.length))
      writer.close()
    })
  },
})

function usesOf<A, T>({ services }: Call<A, T>): KeyUse {
  if (services.keyUse !== undefined) return services.keyUse
  throw fail('CommandNotSupported', 'this server does not count how much keys are used')
}

/** Keys that only the chain knows have no label. */
function* labelsOf(
  tx: ReadTx,
  keys: readonly Pick<WalletKey, 'hash' | 'address'>[],
): Program<string[]> {
  const labels: string[] = []
  for (const { hash, address } of keys) {
    const issued = yield* readWalletKey(tx, { hash, address, source: 'issued' })
    const known = issued ?? (yield* readWalletKey(tx, { hash, address, source: 'onchain' }))
    labels.push(known?.label ?? '')
  }
  return labels
}

function writeUse(
  writer: DocumentWriter,
  days: readonly ReadonlyMap<string, number>[],
  firstDay: number,
): void {
  const byEndpoint = new Map<string, number>()
  const byDay = days.map((counts) => {
    let sum = 0
    for (const [endpoint, n] of counts) {
      sum += n
      byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + n)
    }
    return sum
  })
  const total = byDay.reduce((sum, n) => sum + n, 0)
  writer.value('totalRequests', numberValue(total)).openDocument('byEndpoint')
  for (const [endpoint, n] of byEndpoint) writer.value(endpoint, numberValue(n))
  writer.close().openArray('byDay')
  for (const [i, count] of byDay.entries()) {
    const date = new Date((firstDay + i) * dayMs).toISOString().slice(0, 10)
    writer.pushOpenDocument().string('date', date).value('count', numberValue(count)).close()
  }
  writer.close()
}

export const keyUseRows: readonly DocumentRow[] = [keyAnalytics, analyticsOverview]
