// The OpenAPI document tells of every route that is served, and of each body what is looked at:
// whatever it allows is not refused for its shape, whatever it does not is.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { templateOf } from '../../../../src/listeners/http/core/openapi.js'
import { routes } from '../../../../src/listeners/http/core/routes.js'
import { operatorPageRoutes } from '../../../../src/listeners/http/keys/operator-page-routes.js'
import { keyValueRoutes } from '../../../../src/listeners/http/keyvalue/key-value-routes.js'
import { upstashRoutes } from '../../../../src/listeners/http/keyvalue/upstash.js'
import { mcpRoute } from '../../../../src/listeners/http/memory/mcp-route.js'
import { backupRoute } from '../../../../src/listeners/http/operations/backup.js'
import { chainRoutes } from '../../../../src/listeners/http/operations/chain.js'
import { metricsRoutes } from '../../../../src/listeners/http/operations/metrics-routes.js'
import { watchRoutes } from '../../../../src/listeners/http/operations/watch-routes.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { runs } from '../../../support/runs.js'

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly minimum?: number
  readonly maximum?: number
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> }
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const path = '/api/v1/openapi.json'

async function documentOf(url: string): Promise<OpenApi> {
  const { status, json } = await ask(url, { path })
  if (status !== 200) throw new Error(String(status))
  return json as unknown as OpenApi
}

function operationsOf({ paths }: OpenApi): [method: string, path: string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  )
}

t.test('every route that is served is in the document, and nothing else is', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const found = await documentOf(url)
  t.equal(found.openapi, '3.1.0')
  const told = new Set(operationsOf(found).map(([method, path]) => `${method} ${path}`))
  const raw = [
    backupRoute({} as never),
    ...chainRoutes({} as never),
    ...keyValueRoutes({} as never),
    mcpRoute({} as never),
    ...operatorPageRoutes({} as never),
    ...metricsRoutes({} as never),
    ...watchRoutes({} as never),
    ...upstashRoutes({} as never),
  ]
  for (const { method, path } of [...routes, ...raw]) {
    t.ok(told.has(`${method} ${templateOf(path)}`), `${method} ${path}`)
  }
  for (const one of ['GET /health', `GET ${path}`]) t.ok(told.has(one), one)
  const ids = operationsOf(found).map(([, , { operationId }]) => operationId)
  t.equal(new Set(ids).size, ids.length, 'names are told apart')
  for (const [told, methods] of Object.entries(found.paths)) {
    const target = told.replace(/\{\w+\}/g, 'x')
    const { status, headers } = await ask(url, { method: 'OPTIONS', path: target })
    t.equal(status, 405, `${told} is served`)
    const allowed = String(headers.allow).split(', ').sort()
    t.same(
      allowed,
      Object.keys(methods)
        .map((one) => one.toUpperCase())
        .sort(),
      told,
    )
  }
})

t.test('a route can be served in one way alone: by the rows of the document', async (t) => {
  const source = readFileSync('src/listeners/http/core/server.ts', 'utf8')
  t.equal(source.match(/\bapp\.(?:all|on|use|get|post|put|patch|delete|route|mount)\(/g)?.length, 1)
  t.equal(source.match(/this\.serve\(/g)?.length, 2, 'of rows, and of /health')
})

t.test('it is open on loopback, and to administrators and METRICS_TOKEN elsewhere', async (t) => {
  const token = 'a token of at least thirty-two characters'.replaceAll(' ', '-')
  const behind = { TRUSTED_PROXIES: '127.0.0.1', METRICS_TOKEN: token }
  const { url, key } = await startGateway(t, behind)
  const far = { 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'https' }
  const status = async (headers: Record<string, string>) =>
    (await ask(url, { path, headers: { ...far, ...headers } })).status
  t.equal(await status({}), 401)
  t.equal(await status({ authorization: `Bearer ${token}` }), 200)
  t.equal(await status({ 'x-api-key': key }), 200)
})

const names = fc.stringMatching(/^[a-z]{1,8}$/)
const anything = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' }).map(withoutDollars)

/** What starts so is no plain JSON: `{"$oid": …}` is an ObjectId. */
function withoutDollars(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('$', 'S'))
}

function valid(schema: Schema): fc.Arbitrary<unknown> {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return anything
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'string':
      return fc.string({ maxLength: 20 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(fc.nat(20), fc.maxSafeInteger().map(Math.abs))
    case 'array':
      return fc.array(anything, { maxLength: 4 })
    case 'object':
      return schema.properties === undefined ? fc.dictionary(names, anything) : body(schema)
    default:
      throw new Error(`no values of type ${type}`)
  }
}

function body({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valid(schema)])
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields)
  return fc.record(model, { requiredKeys: [...required] })
}

/** Of a value that the schema of a field does not allow; undefined where it allows all. */
function invalid({ type }: Schema): fc.Arbitrary<unknown> | undefined {
  const types = new Set([type ?? []].flat())
  if (types.size === 0) return undefined
  const samples: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['string', 'x'],
    ['boolean', true],
    ['integer', -1],
    ['array', [1]],
    ['object', { a: 1 }],
  ]
  const wrong = samples.filter(([name, value]) => !types.has(name) || value === -1)
  return fc.constantFrom(...wrong.map(([, value]) => value))
}

const shapes = [
  /^unknown field '.*' in the request body/,
  /^field '.*' is required in the request body/,
  /^field '.*' must be of type /,
]

t.test('what the document allows is not refused for its shape, anything else is', async (t) => {
  const { url, key } = await startGateway(t)
  const send = (method: string, told: string, sent: unknown) => {
    const text = JSON.stringify(sent)
    const length = String(Buffer.byteLength(text))
    const headers = {
      ...{ 'x-api-key': key, 'content-type': 'application/json', 'content-length': length },
    }
    const target = told.replace(/\{\w+\}/g, 'c')
    return ask(url, { method, path: target, headers, body: text })
  }
  const found = await documentOf(url)
  for (const [method, told, { requestBody }] of operationsOf(found)) {
    const schema = requestBody?.content['application/json']?.schema
    // A session's route answers the operator before it has looked at the body.
    if (schema === undefined || /keys|auth/.test(told)) continue
    const what = `${method} ${told}`
    await fc.assert(
      fc.asyncProperty(body(schema), async (sent) => {
        const { status, json, text } = await send(method, told, sent)
        if (status === 415 || status === 500) throw new Error(`${what}: ${status} ${text}`)
        const { message } = (json.error ?? {}) as { readonly message?: string }
        const said = json.errmsg ?? message ?? ''
        const refused = shapes.find((shape) => shape.test(String(said)))
        if (status === 400 && refused !== undefined) throw new Error(`${what}: ${text}`)
      }),
      { numRuns: runs(10) },
    )
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const wrong = invalid(property)
      if (wrong === undefined) continue
      const cases = fc.tuple(body(schema), wrong)
      await fc.assert(
        fc.asyncProperty(cases, async ([sent, value]) => {
          const bad = { ...(sent as object), [name]: value }
          const { status, text } = await send(method, told, bad)
          if (status !== 400) throw new Error(`${what}, ${name}: ${status} ${text}`)
        }),
        { numRuns: runs(1) },
      )
    }
    const more = await send(method, told, { 'no such field': 1 })
    t.match(more, { status: 400, text: /unknown field 'no such field'/ }, what)
    for (const name of schema.required ?? []) {
      const [whole] = fc.sample(body(schema), { numRuns: 1, seed: 1 })
      const { [name]: _, ...less } = whole as Record<string, unknown>
      t.match(await send(method, told, less), { status: 400 }, `${what} without ${name}`)
    }
  }
})
