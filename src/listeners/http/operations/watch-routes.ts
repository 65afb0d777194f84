// What a page shows of the running server: the metrics of the last hour, the last slow commands,
// the commands at work, which it can end, and what accounts hold. (docs/operations.md, "The last
// hour", "Quotas of a wallet")

import { fail } from '../../../base/errors.js'
import { historyStepMs } from '../../../base/limits/http.js'
import type { Metering } from '../../../bus/metering.js'
import type { HistoryStep, MeteringHistory } from '../../../bus/metering-history.js'
import { identityKey } from '../../../identity/identity.js'
import { isAdministrator, type Rules } from '../../../identity/rights/allow.js'
import { field } from '../../../value/elements.js'
import { documentToJson } from '../../../value/json/json.js'
import { writeDocument } from '../../../value/writer.js'
import { type HttpCall, jsonOf } from '../core/call.js'
import type { HttpAnswer, RawCall, ReplyRoute, Route } from '../core/route.js'
import { nameOf } from './metrics.js'

interface WatchSources {
  readonly history: Pick<MeteringHistory, 'read'>
  readonly counters: Pick<Metering, 'slow'>
  readonly rules: Rules
}

const operationsPath = '/api/v1/operations'

export function watchRoutes(sources: WatchSources): readonly (Route | ReplyRoute)[] {
  const { history, counters, rules } = sources
  return [
    {
      method: 'GET',
      path: '/api/v1/metrics/history',
      access: 'metrics',
      query: { since: 'whole' },
      run: (call) => historyJson(history.read(sinceOf(call.query('since')))),
    },
    {
      method: 'GET',
      path: '/api/v1/metrics/slow',
      access: 'key',
      reply: async (call) => slowCommands(call, counters, rules),
    },
    { method: 'GET', path: operationsPath, access: 'key', reply: operations },
    {
      method: 'GET',
      path: '/api/v1/usage',
      access: 'key',
      query: { after: 'string' },
      run: usage,
    },
    {
      method: 'POST',
      path: `${operationsPath}/:id/kill`,
      access: 'key',
      fields: {},
      reply: kill,
    },
  ]
}

function sinceOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw fail('BadValue', "query 'since' must be a whole number: milliseconds since 1970")
}

/** Columns, as charts need them. */
function historyJson(steps: readonly HistoryStep[]): string {
  const protocols = Object.keys(nameOf) as (keyof typeof nameOf)[]
  const columns = (kind: 'requests' | 'errors' | 'meanMs') =>
    Object.fromEntries(protocols.map((one) => [nameOf[one], steps.map((step) => step[kind][one])]))
  return JSON.stringify({
    stepMs: historyStepMs,
    at: steps.map(({ at }) => at),
    requests: columns('requests'),
    errors: columns('errors'),
    meanMs: columns('meanMs'),
    p50: steps.map(({ p50 }) => p50),
    p95: steps.map(({ p95 }) => p95),
    p99: steps.map(({ p99 }) => p99),
    ok: 1,
  })
}

/** Administrators see all of them, others their own. */
function slowCommands(
  { session: { identity } }: RawCall,
  { slow }: WatchSources['counters'],
  rules: Rules,
): HttpAnswer {
  const seesAll = isAdministrator(identity, rules)
  const commands = slow.list(seesAll ? undefined : identityKey(identity)).map((one) => ({
    at: new Date(one.at).toISOString(),
    ms: Math.round(one.ms),
    command: one.command,
    ns: one.ns,
    protocol: nameOf[one.protocol],
    shape: one.shape,
    code: one.code ?? null,
    isOwn: one.owner === identityKey(identity),
  }))
  return { status: 200, body: JSON.stringify({ commands, ok: 1 }) }
}

/** What the caller's account holds, and its quotas; of all accounts for the operator. */
async function usage(call: HttpCall): Promise<string> {
  const after = call.query('after')
  const command = writeDocument((writer) => {
    writer.int32('accountUsage', 1)
    if (after !== undefined) writer.string('after', after)
  })
  return documentToJson(await call.run(command), call.mode)
}

/** As currentOp: the operator sees all, others their own. */
async function operations(call: RawCall): Promise<HttpAnswer> {
  const command = writeDocument((writer) => writer.int32('currentOp', 1).bool('$all', true))
  const reply = await call.runIn('admin', command)
  const body = `{"operations":${jsonOf(call, field(reply, 'inprog'))},"ok":1}`
  return { status: 200, body }
}

/** As killOp: an operation that has ended, or that the caller may not see, is no error. */
async function kill(call: RawCall): Promise<HttpAnswer> {
  const id = call.param('id')
  if (!/^\d{1,9}$/.test(id)) throw fail('BadValue', 'the id of an operation is a whole number')
  const command = writeDocument((writer) => writer.int32('killOp', 1).int32('op', Number(id)))
  await call.runIn('admin', command)
  return { status: 200, body: '{"ok":1}' }
}
