// The OpenAPI 3.1 document, made from the rows that check requests, so it matches the checks. Built
// once from every served route.

import { productName } from '../../../base/product.js'
import { isMcpUrl, isMemoryUrl } from '../memory/memory-errors.js'
import type { BodySchema, FieldKind } from './call.js'
import type { AnyRoute, QuerySchema, RouteHead } from './route.js'
import { transactionHeader } from './transaction-header.js'

type Schema = Readonly<Record<string, unknown>>

/** The part of a row that the document shows. */
type DescribedRoute = RouteHead

/** The route that returns the document; `document` is called at the first request. */
export function openApiRoute(document: () => string): AnyRoute {
  let text: string | undefined
  const run = () => {
    text ??= document()
    return text
  }
  return { method: 'GET', path: '/api/v1/openapi.json', access: 'metrics', run }
}

/** As JSON text. */
export function openApiDocument(rows: readonly DescribedRoute[], version: string): string {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const row of rows) {
    const path = templateOf(row.path)
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row) }
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: `${productName} HTTP API`,
      version,
      description:
        'Bodies are plain JSON, or EJSON with content type application/ejson. Every success body ' +
        'of a route that answers JSON has ok: 1.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Error: errorSchema, MemoryError: memoryErrorSchema, McpError: mcpErrorSchema },
      securitySchemes,
    },
    security: [{ session: [] }, { bearer: [] }, { key: [] }],
  })
}

/** `:name` becomes `{name}`; the wildcard is `{path}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\/\*$/, '/{path}')
}

function operationOf(row: DescribedRoute): Schema {
  const { method, path, access, fields, takes, answers = 'application/json' } = row
  const named = row.inTransactions === true ? [transactionParameter] : []
  const parameters = [...pathParameters(path), ...queryParameters(row.query), ...named]
  const content = fields === undefined ? takes : jsonContent(fields)
  return {
    operationId: idOf(method, path),
    tags: [tagOf(path)],
    description: accessTexts[access],
    ...(access === 'none' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content === undefined
      ? {}
      : { requestBody: { required: isRequired(fields), content: contentOf(content) } }),
    responses: {
      [isMemoryUrl(path) ? '2XX' : '200']: { description: 'Done.', content: { [answers]: {} } },
      default: {
        description: 'Refused, or failed.',
        content: { 'application/json': { schema: { $ref: errorReference(path) } } },
      },
    },
  }
}

function errorReference(path: string): string {
  const name = isMemoryUrl(path) ? 'MemoryError' : isMcpUrl(path) ? 'McpError' : 'Error'
  return `#/components/schemas/${name}`
}

function idOf(method: string, path: string): string {
  // /api/v1/metrics is also /metrics.
  const short = path.startsWith('/api/v1/') ? path.slice('/api/v1'.length) : otherPath(path)
  const words = short.match(/[A-Za-z0-9]+/g) ?? []
  const [first = '', ...rest] = [method.toLowerCase(), ...words]
  return first + rest.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

function otherPath(path: string): string {
  return isMemoryUrl(path) ? `/memory${path.slice('/api'.length)}` : `/root${path}`
}

function tagOf(path: string): string {
  if (isMemoryUrl(path)) return 'memory'
  return /^\/(?:api\/v1\/)?(\w+)/.exec(path)?.[1] ?? 'root'
}

function pathParameters(path: string): Schema[] {
  return [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: QuerySchema = {}): Schema[] {
  return Object.entries(query).map(([name, kind]) => ({
    name,
    in: 'query',
    required: kind.endsWith('!'),
    schema: kind === 'whole' ? { type: 'integer', minimum: 0 } : { type: 'string' },
    ...(kind === 'json' ? { description: 'JSON' } : {}),
  }))
}

const transactionParameter: Schema = {
  name: transactionHeader,
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The id of the transaction of the request.',
}

type Content = readonly string[] | Readonly<Record<string, Schema>>

function jsonContent(fields: BodySchema): Content {
  const schema = bodySchema(fields)
  return { 'application/json': { schema }, 'application/ejson': { schema } }
}

function contentOf(content: Content): Readonly<Record<string, Schema>> {
  if (!Array.isArray(content)) return content as Readonly<Record<string, Schema>>
  return Object.fromEntries((content as readonly string[]).map((type) => [type, {}]))
}

/** A body without required fields may be missing. */
function isRequired(fields: BodySchema | undefined): boolean {
  return fields === undefined || Object.values(fields).some((kind) => kind.endsWith('!'))
}

/** The fields that BodyCheck accepts, as JSON Schema. */
function bodySchema(fields: BodySchema): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const [name, given] of Object.entries(fields)) {
    const isNeeded = given.endsWith('!')
    if (isNeeded) required.push(name)
    const schema = kindSchemas[given.replace('!', '') as FieldKind]
    const { type } = schema
    // An optional field may be null.
    properties[name] =
      isNeeded || type === undefined ? schema : { ...schema, type: [type, 'null'].flat() }
  }
  const needs = required.length > 0 ? { required } : {}
  return { type: 'object', properties, ...needs, additionalProperties: false }
}

const kindSchemas: Readonly<Record<FieldKind, Schema>> = {
  object: { type: 'object' },
  array: { type: 'array' },
  update: { type: ['object', 'array'] },
  string: { type: 'string' },
  bool: { type: 'boolean' },
  whole: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  any: {},
  nullable: {},
}

const errorSchema: Schema = {
  type: 'object',
  properties: {
    ok: { const: 0 },
    code: { type: 'integer' },
    codeName: { type: 'string' },
    errmsg: { type: 'string' },
  },
  required: ['ok', 'code', 'codeName', 'errmsg'],
}

/** For graph memory. */
const memoryErrorSchema: Schema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
}

/** JSON-RPC 2.0, 5.1. */
const mcpErrorSchema: Schema = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
    id: { type: ['string', 'number', 'null'] },
  },
  required: ['jsonrpc', 'error', 'id'],
}

const securitySchemes: Schema = {
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
}

const accessTexts: Readonly<Record<RouteHead['access'], string>> = {
  none: 'Open to all clients.',
  session: "For a wallet's session.",
  key: 'Needs a session or a key; within the rights of its identity.',
  operator: 'For the operator.',
  admin: 'For administrators.',
  metrics: 'Open on loopback; over a network for administrators, and with METRICS_TOKEN.',
}
