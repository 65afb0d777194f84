// The ceiling of the HTTP routes: a bare Hono that reads the same POST body as JSON and answers
// bytes of the same length, with nothing between.

import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const found = JSON.stringify({
  document: {
    _id: '65f0c0ffee0123456789abcd',
    n: 1234,
    name: 'name 1234',
    text: 'x'.repeat(120),
    tags: ['a', 'b', 'c'],
  },
  ok: 1,
})
const inserted = JSON.stringify({
  acknowledged: true,
  insertedId: '65f0c0ffee0123456789abcd',
  insertedCount: 1,
  ok: 1,
})

const app = new Hono()
app.post('/api/v1/collections/:name/:operation', async (context) => {
  await context.req.json()
  const body = context.req.param('operation') === 'findOne' ? found : inserted
  return context.body(body, 200, { 'content-type': 'application/json; charset=utf-8' })
})

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('SIGTERM', () => process.exit(0))
