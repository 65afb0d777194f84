// What a client sends, written from the protocol's documentation and not from our reader: type,
// length, fields (PostgreSQL 17, 53.7).

export function int16(n: number): Buffer {
  return Buffer.of((n >> 8) & 0xff, n & 0xff)
}

export function int32(n: number): Buffer {
  return Buffer.of((n >>> 24) & 0xff, (n >>> 16) & 0xff, (n >>> 8) & 0xff, n & 0xff)
}

export function text(value: string): Buffer {
  return Buffer.concat([Buffer.from(value), Buffer.of(0)])
}

/** Bytes behind their length; -1 for NULL. */
export function counted(value: Uint8Array | undefined): Buffer {
  return value === undefined ? int32(-1) : Buffer.concat([int32(value.length), value])
}

export function message(type: string, ...fields: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(fields)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

export function startup(version: number, parameters: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(parameters).flat().map(text)
  const body = Buffer.concat([int32(version), ...fields, Buffer.of(0)])
  return Buffer.concat([int32(body.length + 4), body])
}

export function parse(statement: string, query: string, types: readonly number[]): Buffer {
  return message('P', text(statement), text(query), int16(types.length), ...types.map(int32))
}

interface BindFields {
  readonly portal: string
  readonly statement: string
  readonly formats: readonly number[]
  readonly values: readonly (Uint8Array | undefined)[]
  readonly results: readonly number[]
}

export function bind({ portal, statement, formats, values, results }: BindFields): Buffer {
  return message(
    'B',
    text(portal),
    text(statement),
    int16(formats.length),
    ...formats.map(int16),
    int16(values.length),
    ...values.map(counted),
    int16(results.length),
    ...results.map(int16),
  )
}
