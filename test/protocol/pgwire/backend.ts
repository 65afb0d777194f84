// Reads what a server sends, written from the protocol's documentation and not from our writer
// (PostgreSQL 17, 53.7): each message as an array, its name first.

type Field = string | number | null | readonly Field[]

class Cursor {
  at = 0
  constructor(readonly bytes: Buffer) {}

  number(size: 1 | 2 | 4): number {
    const n = this.bytes.readIntBE(this.at, size)
    this.at += size
    return n
  }

  text(): string {
    const end = this.bytes.indexOf(0, this.at)
    if (end < 0) throw new Error('a text without an end')
    const text = this.bytes.toString('utf8', this.at, end)
    this.at = end + 1
    return text
  }

  take(size: number): Buffer {
    if (this.at + size > this.bytes.length) throw new Error('a field beyond its message')
    this.at += size
    return this.bytes.subarray(this.at - size, this.at)
  }

  get left(): number {
    return this.bytes.length - this.at
  }
}

/** All messages of `bytes`; throws on whatever the documentation does not have. */
export function readMessages(bytes: Uint8Array): Field[][] {
  const stream = new Cursor(Buffer.from(bytes))
  const messages: Field[][] = []
  while (stream.left > 0) {
    const type = stream.take(1).toString('latin1')
    const body = new Cursor(stream.take(stream.number(4) - 4))
    messages.push(readMessage(type, body))
    if (body.left > 0) throw new Error(`${body.left} bytes behind a message of type ${type}`)
  }
  return messages
}

const empties: Readonly<Record<string, string>> = {
  '1': 'ParseComplete',
  '2': 'BindComplete',
  '3': 'CloseComplete',
  I: 'EmptyQueryResponse',
  n: 'NoData',
  s: 'PortalSuspended',
}

function readMessage(type: string, body: Cursor): Field[] {
  const empty = empties[type]
  if (empty !== undefined) return [empty]
  switch (type) {
    case 'R':
      return readAuthentication(body)
    case 'v': {
      const version = body.number(4)
      return ['NegotiateProtocolVersion', version, times(body.number(4), () => body.text())]
    }
    case 'A':
      return ['NotificationResponse', body.number(4), body.text(), body.text()]
    case 'S':
      return ['ParameterStatus', body.text(), body.text()]
    case 'K':
      return ['BackendKeyData', body.number(4), body.take(4).toString('hex')]
    case 'Z':
      return ['ReadyForQuery', body.take(1).toString()]
    case 'T':
      return ['RowDescription', times(body.number(2), () => readColumn(body))]
    case 'D':
      return ['DataRow', times(body.number(2), () => readField(body))]
    case 'C':
      return ['CommandComplete', body.text()]
    case 't':
      return ['ParameterDescription', times(body.number(2), () => body.number(4))]
    case 'E':
    case 'N':
      return [type === 'E' ? 'ErrorResponse' : 'NoticeResponse', readFields(body)]
    default:
      throw new Error(`no message of type ${type}`)
  }
}

function readAuthentication(body: Cursor): Field[] {
  const code = body.number(4)
  if (code === 0) return ['AuthenticationOk']
  if (code === 11) return ['SaslContinue', body.take(body.left).toString()]
  if (code === 12) return ['SaslFinal', body.take(body.left).toString()]
  const mechanisms: string[] = []
  for (let name = body.text(); name !== ''; name = body.text()) mechanisms.push(name)
  return ['Sasl', code, mechanisms]
}

/** Name, table, number in it, OID, size, modifier, format. */
function readColumn(body: Cursor): Field[] {
  const sizes = [4, 2, 4, 2, 4, 2] as const
  return [body.text(), ...sizes.map((size) => body.number(size))]
}

/** Latin-1, one character a byte. */
function readField(body: Cursor): Field {
  const length = body.number(4)
  return length === -1 ? null : body.take(length).toString('latin1')
}

function readFields(body: Cursor): string[] {
  const fields: string[] = []
  for (let code = body.number(1); code !== 0; code = body.number(1)) {
    fields.push(String.fromCharCode(code) + body.text())
  }
  return fields
}

function times<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read)
}
