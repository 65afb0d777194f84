// The JSON Schemas of the tools' arguments and results, which clients see. Arguments are checked
// against them before a tool runs; the API enforces narrower bounds.

import type { JsonSchemaType } from '@modelcontextprotocol/server'

type Properties = Readonly<Record<string, JsonSchemaType>>

/** An object with exactly these properties; a name with `!` at the end is required. */
export function strict(properties: Properties): JsonSchemaType {
  return { ...objectOf(properties), additionalProperties: false }
}

/** As strict, but further properties are allowed. */
export function open(properties: Properties): JsonSchemaType {
  return objectOf(properties)
}

function objectOf(properties: Properties): JsonSchemaType {
  const entries = Object.entries(properties)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name.replace('!', ''), one])),
    required: entries.flatMap(([name]) => (name.endsWith('!') ? [name.slice(0, -1)] : [])),
  }
}

export const text = (description: string, maxLength: number): JsonSchemaType => ({
  type: 'string',
  description,
  minLength: 1,
  maxLength,
})

export const whole = (
  description: string,
  minimum: number,
  maximum: number,
  fallback: number,
): JsonSchemaType => ({ type: 'integer', description, minimum, maximum, default: fallback })

export const list = (items: JsonSchemaType, description?: string): JsonSchemaType => ({
  type: 'array',
  items,
  ...(description === undefined ? {} : { description }),
})

export const string: JsonSchemaType = { type: 'string' }
export const number: JsonSchemaType = { type: 'number' }
export const integer: JsonSchemaType = { type: 'integer' }
export const boolean: JsonSchemaType = { type: 'boolean' }
export const object: JsonSchemaType = { type: 'object' }
export const nullable = (type: 'string' | 'number'): JsonSchemaType => ({ type: [type, 'null'] })

export const graph: JsonSchemaType = {
  type: 'string',
  description: 'Name of the graph; "default" unless given.',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
}

/** A name, or a name with its kind. */
export const entity: JsonSchemaType = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 256 },
    strict({
      'name!': text('As it is usually written.', 256),
      kind: text('Person, project, place …; "thing" unless given.', 64),
      aliases: list({ type: 'string', minLength: 1, maxLength: 256 }),
    }),
  ],
}
