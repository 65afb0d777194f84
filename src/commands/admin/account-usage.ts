// accountUsage: what a wallet or a service user holds, beside the quotas of this server. The
// operator sees all accounts, page by page, the others their own. (docs/operations.md, "Quotas of a
// wallet")

import { fail } from '../../base/errors.js'
import { accountsAtOnce } from '../../base/limits/identity.js'
import { anyValue, optional, string } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import type { Quotas } from '../../bus/quota.js'
import { wasteBeside } from '../../engine/background/waste.js'
import { holdingOf } from '../../engine/collection/catalog/holdings.js'
import { ownersAfter, usageKey, usageOf } from '../../engine/collection/counters.js'
import { accountOf } from '../../identity/identity.js'
import type { Program, ReadTx } from '../../store/store.js'
import { numberValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

interface Usage {
  readonly account: string
  readonly storageBytes: number
  readonly deletingBytes: number
  readonly collections: number
  readonly graphs: number
  readonly connections: number
  readonly subscriptions: number
}

const accountUsage = documentRow({
  name: 'accountUsage',
  ...plain,
  grain: 'read',
  access: 'identity',
  target: anyValue,
  params: { after: optional(string) },
  help: "Returns what the caller's account holds and its quotas; to the operator, of all accounts.",
  *run(tx, { identity, services, args: { after } }) {
    const { quotas } = services
    if (identity.kind === 'operator') {
      const accounts = yield* ownersAfter(tx, after ?? '', accountsAtOnce)
      const usages: Usage[] = []
      for (const account of accounts) usages.push(yield* usageOfAccount(tx, account, quotas))
      return reply((writer) => {
        writer.openArray('accounts')
        for (const usage of usages) {
          writeFigures(writer.pushOpenDocument(), usage)
          writer.close()
        }
        writer.close()
        const last = accounts.length < accountsAtOnce ? undefined : accounts.at(-1)
        if (last === undefined) writer.null('next')
        else writer.string('next', last)
        writeLimits(writer, quotas)
      })
    }
    if (after !== undefined) {
      const text = 'the operator alone sees other accounts'
      throw fail('Unauthorized', text, { reason: 'NOT_OPERATOR' })
    }
    const account = accountOf(identity) ?? ''
    const usage = yield* usageOfAccount(tx, account, quotas)
    return reply((writer) => {
      writer.openDocument('usage')
      writeFigures(writer, usage)
      writeLimits(writer.close(), quotas)
    })
  },
})

function* usageOfAccount(tx: ReadTx, account: string, quotas: Quotas | undefined): Program<Usage> {
  const { collections, graphs } = yield* holdingOf(tx, account)
  return {
    account,
    storageBytes: yield* usageOf(tx, account),
    deletingBytes: yield* wasteBeside(tx, usageKey(account)),
    collections,
    graphs,
    ...(quotas?.openOf(account) ?? { connections: 0, subscriptions: 0 }),
  }
}

function writeFigures(writer: DocumentWriter, { account, ...figures }: Usage): void {
  writer.string('account', account)
  for (const [name, figure] of Object.entries(figures)) writer.value(name, numberValue(figure))
}

/** 0 means no bound. */
function writeLimits(writer: DocumentWriter, quotas: Quotas | undefined): void {
  writer.openDocument('limits')
  for (const [name, limit] of Object.entries(quotas?.bounds ?? {})) {
    writer.value(name, numberValue(limit))
  }
  writer.close()
}

export const usageRows = [accountUsage]
