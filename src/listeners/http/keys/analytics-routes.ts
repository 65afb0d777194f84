// The routes for the use of keys: of one key, or of all keys of a wallet, for its session; of all
// keys for the operator. (docs/operations.md, "How much keys are used")

import { fail } from '../../../base/errors.js'
import { documentToJson } from '../../../value/json/json.js'
import { numberValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { HttpCall } from '../core/call.js'
import type { Route } from '../core/route.js'

export const analyticsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/keys/:hash/analytics',
    access: 'session',
    query: { days: 'whole' },
    run: ofKey,
  },
  {
    method: 'GET',
    path: '/api/v1/analytics/overview',
    access: 'session',
    operatorToo: true,
    run: overview,
  },
]

async function ofKey(call: HttpCall): Promise<string> {
  const days = call.query('days')
  if (days !== undefined && !/^\d{1,9}$/.test(days)) {
    throw fail('BadValue', `query 'days' must be a whole number, not '${days.slice(0, 100)}'`)
  }
  const reply = await call.run(
    writeDocument((writer) => {
      writer.string('keyAnalytics', call.param('hash'))
      if (days !== undefined) writer.value('days', numberValue(Number(days)))
    }),
  )
  return documentToJson(reply, call.mode)
}

async function overview(call: HttpCall): Promise<string> {
  const reply = await call.run(writeDocument((writer) => writer.int32('analyticsOverview', 1)))
  return documentToJson(reply, call.mode)
}
