// The sign-in message against what others have published, against the traps of its grammar, and
// against itself: what parses is written back byte for byte.

import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { buildSiwe, parseSiwe, type SiweMessage } from '../../../src/protocol/siwe/message.js'
import { runs } from '../../support/runs.js'
import { specFiles } from '../../support/specs.js'

const golden = `localhost:8080 wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Sign in to Sigil.

URI: http://localhost:8080
Version: 1
Chain ID: 31337
Nonce: abcdefghij0123456789AB
Issued At: 2030-01-01T00:00:00.000Z
Expiration Time: 2030-01-01T00:05:00.000Z`

const malformed = { message: /^the sign-in message is malformed: / }

/** Why a text is refused; undefined where it is taken. */
function reasonOf(text: string): unknown {
  try {
    parseSiwe(text)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'BadValue') return error.extra.reason
    throw error
  }
}

function changed(from: string | RegExp, to: string): string {
  const text = golden.replace(from, () => to)
  t.not(text, golden, `the golden message has ${from}`)
  return text
}

type Fields = Readonly<Record<string, unknown>>

/** Fields as the vectors have them: their chain is a number. */
function messageOf(fields: Fields): SiweMessage {
  const { chainId, ...rest } = fields
  const names = [
    ...['scheme', 'domain', 'address', 'statement', 'uri', 'version', 'nonce', 'issuedAt'],
    ...['expirationTime', 'notBefore', 'requestId', 'resources'],
  ]
  const known = names.filter((name) => rest[name] !== undefined && rest[name] !== null)
  const message = Object.fromEntries(known.map((name) => [name, rest[name]]))
  return { ...message, ...(chainId === undefined ? {} : { chainId: String(chainId) }) } as never
}

const vectors = new Map(specFiles('siwe').map(({ name, content }) => [name, content as Fields]))

t.test('published messages are read as published, and written back', async (t) => {
  const positive = Object.entries(vectors.get('parsing_positive.json') ?? {})
  for (const [name, vector] of positive) {
    const { message, fields } = vector as { message: string; fields: Fields }
    const read = parseSiwe(message)
    t.equal(buildSiwe(read), message, name)
    t.strictSame(messageOf(fields), messageOf({ ...read }), name)
  }
  t.equal(positive.length, vectors.size === 0 ? 0 : 19)
})

t.test('published malformed messages are refused', async (t) => {
  const negative = Object.entries(vectors.get('parsing_negative.json') ?? {})
  for (const [name, text] of negative) t.match(reasonOf(String(text)), /^SIWE_MALFORMED:/, name)
  t.equal(negative.length, vectors.size === 0 ? 0 : 29)
})

t.test('no message is made of published fields that cannot be one', async (t) => {
  const negative = Object.entries(vectors.get('parsing_negative_objects.json') ?? {})
  for (const [name, fields] of negative) {
    t.throws(() => buildSiwe(messageOf(fields as Fields)), malformed, name)
  }
  t.equal(negative.length, vectors.size === 0 ? 0 : 18)
})

t.test('published messages of contract wallets are read', async (t) => {
  const contracts = Object.entries(vectors.get('eip1271.json') ?? {})
  for (const [name, vector] of contracts) {
    const { message } = vector as { message: string }
    t.equal(buildSiwe(parseSiwe(message)), message, name)
  }
  t.equal(contracts.length, vectors.size === 0 ? 0 : 2)
})

t.test('the golden message is read, and made of its fields', async (t) => {
  const message = parseSiwe(golden)
  t.equal(golden.length, 288)
  t.strictSame(message, {
    domain: 'localhost:8080',
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    statement: 'Sign in to Sigil.',
    uri: 'http://localhost:8080',
    version: '1',
    chainId: '31337',
    nonce: 'abcdefghij0123456789AB',
    issuedAt: '2030-01-01T00:00:00.000Z',
    expirationTime: '2030-01-01T00:05:00.000Z',
  })
  t.equal(buildSiwe(message), golden)
})

t.test('the first line', async (t) => {
  const first = (domain: string) => reasonOf(changed('localhost:8080 wants', `${domain} wants`))
  for (const good of [
    ...['example.org', 'user:secret@example.org', 'a%41b.test', '127.0.0.1', 'x:', '[::1]:8080'],
    ...['[v1.fe80::a+en1]', 'https://example.org', 'git+ssh://host:1', "a!$&'()*+,;=b"],
  ]) {
    t.equal(first(good), undefined, good)
  }
  for (const bad of [
    ...[
      '',
      ':80',
      'user@',
      'a b',
      'exämple.org',
      'a/b',
      'a?b',
      '#a',
      'a:b',
      'a:80:80',
      '[::1',
      '[]',
    ],
    ...['[::1%25eth0]', '[v1.]', '[1.2.3.4]', 'a%4', 'a%zz', 'x[::1]', '[::1]x', 'a@b@c'],
  ]) {
    t.equal(first(bad), 'SIWE_MALFORMED:domain', JSON.stringify(bad))
  }
  for (const bad of ['1http://a', '://a', 'ht tp://a', 'http_://a']) {
    t.equal(first(bad), 'SIWE_MALFORMED:scheme', bad)
  }
  t.equal(reasonOf(changed('Ethereum', 'ethereum')), 'SIWE_MALFORMED:domain', 'case counts')
  t.equal(reasonOf(changed('account:', 'account: ')), 'SIWE_MALFORMED:domain')
})

t.test('the address is in EIP-55 form and in no other', async (t) => {
  const address = /0xf39.*/
  const wanted = 'SIWE_MALFORMED:address'
  const digits = 'f39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  t.equal(reasonOf(changed(address, `0x${digits.toLowerCase()}`)), wanted, 'all lower case')
  t.equal(reasonOf(changed(address, `0x${digits.toUpperCase()}`)), wanted, 'all capitals')
  t.equal(reasonOf(changed(address, `0X${digits}`)), wanted, '0X')
  t.equal(reasonOf(changed(address, digits)), wanted, 'without 0x')
  t.equal(reasonOf(changed(address, `0x${digits}0`)), wanted, 'a digit too many')
  t.equal(reasonOf(changed(address, `0x${digits} `)), wanted, 'a space behind it')
})

t.test(
  'without a statement there are two empty lines, with one neither more nor fewer',
  async (t) => {
    t.equal(reasonOf(changed('\n\nSign in to Sigil.\n\n', '\n\n\n')), undefined)
    t.equal(reasonOf(changed('\n\nSign in to Sigil.\n\n', '\n\n')), 'SIWE_MALFORMED:statement')
    t.equal(reasonOf(changed('Sign in to Sigil.', '')), 'SIWE_MALFORMED:uri', 'an empty statement')
    t.equal(reasonOf(changed('Sigil.\n\n', 'Sigil.\n')), 'SIWE_MALFORMED:statement')
    t.equal(reasonOf(changed('Sigil.\n\n', 'Sigil.\n\n\n')), 'SIWE_MALFORMED:uri')
    t.equal(reasonOf(changed('266\n\nSign', '266\nSign')), 'SIWE_MALFORMED:address')
  },
)

t.test('a statement has characters that show, and nothing that hides', async (t) => {
  const statement = (text: string) => reasonOf(changed('Sign in to Sigil.', text))
  t.equal(statement("I accept: https://a.test/?b#[c]@!$&'()*+,;=-._~"), undefined)
  for (const bad of [
    '100%',
    'a "b"',
    'a<b',
    'tab\there',
    'nul\0',
    'a\u202eb',
    'é',
    '｡',
    'a\rb',
    '^',
    '`',
  ]) {
    t.equal(statement(bad), 'SIWE_MALFORMED:statement', JSON.stringify(bad))
  }
})

t.test('the order of the lines is fixed, and none comes twice', async (t) => {
  const lines = golden.split('\n')
  const swapped = (a: number, b: number) => {
    const other = [...lines]
    ;[other[a], other[b]] = [other[b] ?? '', other[a] ?? '']
    return other.join('\n')
  }
  for (let at = 5; at < lines.length - 1; at++) {
    t.match(reasonOf(swapped(at, at + 1)), /^SIWE_MALFORMED:/, `${lines[at]}`)
  }
  for (let at = 5; at < lines.length; at++) {
    const twice = [...lines.slice(0, at + 1), lines[at], ...lines.slice(at + 1)]
    t.match(reasonOf(twice.join('\n')), /^SIWE_MALFORMED:/, `${lines[at]} twice`)
  }
  t.equal(reasonOf(`${golden}\nFoo: bar`), 'SIWE_MALFORMED:message', 'an unknown line')
})

t.test('lines end with a line feed, the last one with nothing', async (t) => {
  t.equal(reasonOf(`${golden}\n`), 'SIWE_MALFORMED:message', 'a line feed at the end')
  t.match(reasonOf(golden.replaceAll('\n', '\r\n')), /^SIWE_MALFORMED:/)
  t.equal(reasonOf(`${golden}\r`), 'SIWE_MALFORMED:expirationTime')
  t.equal(reasonOf(''), 'SIWE_MALFORMED:domain')
  t.equal(reasonOf(`\n${golden}`), 'SIWE_MALFORMED:domain')
})

t.test('a URI has a scheme and only the characters of RFC 3986', async (t) => {
  const uri = (text: string) => reasonOf(changed('URI: http://localhost:8080', `URI: ${text}`))
  for (const good of [
    ...['did:key:z6Mk', 'urn:isbn:1', 'https://a.test/p?q=1#f', 'file:///x', 'mailto:a@b', 'a:'],
    ...['http://[::1]:80/', 'https://a.test/%C3%A9', 'x://u:p@h:/a//b', 'a:b?c?d/e#/?'],
  ]) {
    t.equal(uri(good), undefined, good)
  }
  for (const bad of [
    ...['', '/a', 'a.test', ':a', '1a:b', 'https://a b', 'https://a/[x]', 'https://a?[x]'],
    ...[
      'https://a#b#c',
      'https://a/"',
      'https://a/%4',
      'https://é',
      'https://a/\\b',
      'http://[::g]',
    ],
  ]) {
    t.equal(uri(bad), 'SIWE_MALFORMED:uri', JSON.stringify(bad))
  }
})

t.test('the version is 1, the chain a number that is exact', async (t) => {
  for (const bad of ['2', '', '01', '1 ', '１']) {
    t.equal(reasonOf(changed('Version: 1', `Version: ${bad}`)), 'SIWE_MALFORMED:version', bad)
  }
  const chain = (text: string) => reasonOf(changed('Chain ID: 31337', `Chain ID: ${text}`))
  t.equal(chain('0001'), undefined, 'zeros in front are grammatical')
  t.equal(chain('9007199254740991'), undefined)
  for (const bad of [
    '9007199254740992',
    '1'.repeat(23),
    '0x1',
    '-1',
    '1.0',
    '1e3',
    '',
    ' 1',
    '１',
  ]) {
    t.equal(chain(bad), 'SIWE_MALFORMED:chainId', bad)
  }
})

t.test('a nonce has 8 to 64 letters and digits', async (t) => {
  const nonce = (text: string) => reasonOf(changed(/Nonce: .*/, `Nonce: ${text}`))
  t.equal(nonce('a'.repeat(8)), undefined)
  t.equal(nonce('a'.repeat(64)), undefined)
  for (const bad of [
    'a'.repeat(7),
    'a'.repeat(65),
    'abcdefg-',
    'abcdefg ',
    '１２３４５６７８',
    '',
  ]) {
    t.equal(nonce(bad), 'SIWE_MALFORMED:nonce', bad)
  }
})

t.test('a request id may be empty, resources may be none', async (t) => {
  const end = (text: string) => reasonOf(`${golden}\n${text}`)
  for (const good of [
    ...[
      'Request ID: ',
      "Request ID: a%20b:@!$&'()*+,;=",
      'Resources:',
      'Request ID: x\nResources:',
    ],
    ...[
      'Resources:\n- https://a.test\n- ipfs://x',
      'Not Before: 2030-01-01T00:00:00Z\nRequest ID: 1',
    ],
  ]) {
    t.equal(end(good), undefined, good)
    t.equal(buildSiwe(parseSiwe(`${golden}\n${good}`)), `${golden}\n${good}`)
  }
  t.equal(end('Request ID:'), 'SIWE_MALFORMED:message', 'the space belongs to the label')
  for (const bad of ['a b', 'a/b', 'a?b', 'a#b', 'é']) {
    t.equal(end(`Request ID: ${bad}`), 'SIWE_MALFORMED:requestId', bad)
  }
  for (const bad of ['\n- ', '\n- not a uri', '\nhttps://a.test', '\n-https://a.test', '\n', ' ']) {
    t.match(end(`Resources:${bad}`), /^SIWE_MALFORMED:(resources|message)$/, JSON.stringify(bad))
  }
})

t.test('times are RFC 3339, with an offset and days that exist', async (t) => {
  const issued = (text: string) => reasonOf(changed(/Issued At: .*/, `Issued At: ${text}`))
  for (const good of [
    ...['2030-01-01T00:00:00Z', '2024-02-29T23:59:60Z', '2030-01-01T00:00:00.123456789Z'],
    ...['2030-01-01T00:00:00+14:00', '2030-01-01T00:00:00-00:00', '0001-01-01T00:00:00Z'],
  ]) {
    t.equal(issued(good), undefined, good)
  }
  for (const bad of [
    ...['2030-01-01T00:00:00', '2030-01-01t00:00:00Z', '2030-01-01T00:00:00z', '2030-01-01'],
    ...[
      '2030-02-31T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2100-02-29T00:00:00Z',
      '2030-00-01T00:00:00Z',
    ],
    ...[
      '2030-13-01T00:00:00Z',
      '2030-04-31T00:00:00Z',
      '2030-01-00T00:00:00Z',
      '2030-01-01T24:00:00Z',
    ],
    ...[
      '2030-01-01T00:60:00Z',
      '2030-01-01T00:00:61Z',
      '2030-01-01T00:00:00.Z',
      '2030-01-01 00:00:00Z',
    ],
    ...['2030-01-01T00:00:00+24:00', '2030-01-01T00:00:00+0100', '+2030-01-01T00:00:00Z', '1'],
  ]) {
    t.equal(issued(bad), 'SIWE_MALFORMED:issuedAt', bad)
  }
})

t.test('more than 4 KiB are refused unread', async (t) => {
  t.equal(reasonOf(changed('Sign in to Sigil.', 'a'.repeat(3_800))), undefined)
  t.equal(reasonOf(changed('Sign in to Sigil.', 'a'.repeat(4_100))), 'SIWE_MALFORMED:message')
})

t.test('fields that would make another message make none', async (t) => {
  const message = parseSiwe(golden)
  const refused = (fields: Partial<Record<keyof SiweMessage, unknown>>) =>
    t.throws(() => buildSiwe({ ...message, ...fields } as SiweMessage), malformed)
  refused({ statement: '' })
  refused({ statement: 'a\n\nURI: https://evil.test' })
  refused({ uri: 'http://localhost:8080\nVersion: 1' })
  refused({ requestId: 'a\nResources:\n- https://evil.test' })
  refused({ resources: ['https://a.test\n- https://evil.test'] })
  refused({ nonce: undefined })
  refused({ domain: undefined })
  refused({ domain: 'https://evil.test' })
  refused({ chainId: 1 })
})

const word = fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/)
const time = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
const stamp = time.map((date) => date.toISOString())
const uri = fc.tuple(word, word).map(([host, path]) => `https://${host}/${path}`)
const messages = fc.record(
  {
    scheme: fc.constantFrom('https', 'http', 'a+b'),
    domain: word,
    address: fc.constant('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
    statement: fc.stringMatching(/^[A-Za-z0-9 :/?#[\]@!$&'()*+,;=._~-]{1,40}$/),
    uri,
    version: fc.constant('1' as const),
    chainId: fc.nat().map(String),
    nonce: fc.stringMatching(/^[A-Za-z0-9]{8,64}$/),
    issuedAt: stamp,
    expirationTime: stamp,
    notBefore: stamp,
    requestId: fc.stringMatching(/^[A-Za-z0-9]{0,10}$/),
    resources: fc.array(uri, { maxLength: 3 }),
  },
  { requiredKeys: ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'] },
)

t.test('any message is read as it was written', async () => {
  fc.assert(
    fc.property(messages, (fields) => {
      const text = buildSiwe(fields as SiweMessage)
      t.strictSame(messageOf({ ...parseSiwe(text) }), messageOf({ ...fields }))
      return buildSiwe(parseSiwe(text)) === text
    }),
    { numRuns: runs(200) },
  )
})

t.test('a changed message is refused, or is another that is written back as it came', async () => {
  const piece = fc.constantFrom(
    '',
    '\n',
    '\r',
    ' ',
    '\t',
    '\0',
    '%',
    '"',
    'é',
    '\u202e',
    '0',
    'a',
    ':',
    '/',
  )
  const edits = fc.array(fc.tuple(fc.nat(400), fc.nat(3), piece), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(messages, edits, (fields, changes) => {
      let text = buildSiwe(fields as SiweMessage)
      for (const [at, count, put] of changes) {
        const start = at % text.length
        text = text.slice(0, start) + put + text.slice(start + count)
      }
      return reasonOf(text) !== undefined || buildSiwe(parseSiwe(text)) === text
    }),
    { numRuns: runs(500) },
  )
})
