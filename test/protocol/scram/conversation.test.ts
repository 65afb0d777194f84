// The login by the vectors of RFC 7677 and of our own key derivation, and every way to get it
// wrong.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { textOf, utf8 } from '../../../src/base/bytes/bytes.js'
import { ServerConversation } from '../../../src/protocol/scram/conversation.js'
import { parseClientFirst, parsePlain } from '../../../src/protocol/scram/messages.js'
import {
  decoyVerifier,
  deriveVerifier,
  makeVerifier,
} from '../../../src/protocol/scram/verifier.js'

const nonce = Buffer.from(Uint8Array.from({ length: 24 }, (_, i) => i)).toString('base64')
const salt = Uint8Array.from({ length: 16 }, (_, i) => 255 - i)
const verifier = makeVerifier('pencil', salt, 4096)
const failed = { code: 18, message: 'Authentication failed.' }

function converse(clientFirst: string, skipEmptyExchange = true, known = verifier) {
  const first = parseClientFirst(utf8(clientFirst))
  return new ServerConversation({ first, verifier: known, nonce, skipEmptyExchange })
}

/** What a client answers to server-first, computed apart from the code under test. */
function clientFinal(bare: string, serverFirst: string, password: string, binding = 'biws') {
  const [, r = '', s = '', i = ''] = /^r=(.*),s=(.*),i=(.*)$/.exec(serverFirst) ?? []
  const salted = pbkdf2Sync(password, Buffer.from(s, 'base64'), Number(i), 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest()
  const withoutProof = `c=${binding},r=${r}`
  const auth = `${bare},${serverFirst},${withoutProof}`
  const signature = createHmac('sha256', storedKey).update(auth).digest()
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)))
  const serverKey = createHmac('sha256', salted).update('Server Key').digest()
  const expected = createHmac('sha256', serverKey).update(auth).digest('base64')
  return { message: `${withoutProof},p=${proof.toString('base64')}`, expected: `v=${expected}` }
}

interface GoldenConversation {
  readonly name: string
  readonly password: string
  readonly salt: string
  readonly serverNonce: string
  readonly messages: readonly [string, string, string, string]
}

const golden = JSON.parse(readFileSync('protocol-fixtures/keys/scram.json', 'utf8')) as {
  readonly conversations: readonly GoldenConversation[]
}

for (const { name, password, salt, serverNonce, messages } of golden.conversations) {
  t.test(`the whole conversation of ${name}`, async (t) => {
    const [clientFirst, serverFirst, final, serverFinal] = messages
    const known = await deriveVerifier(password, Buffer.from(salt, 'hex'), 4096)
    t.same(known, makeVerifier(password, Buffer.from(salt, 'hex'), 4096))
    const conversation = new ServerConversation({
      first: parseClientFirst(utf8(clientFirst)),
      verifier: known,
      nonce: serverNonce,
      skipEmptyExchange: true,
    })
    t.equal(textOf(conversation.serverFirst), serverFirst)
    t.equal(clientFinal(clientFirst.slice(3), serverFirst, password).message, final)
    t.same(conversation.step(utf8(final)), { payload: utf8(serverFinal), done: true })
  })
}

t.test('a right password is accepted, and the server proves itself', async (t) => {
  const conversation = converse('n,,n=user,r=abc')
  const serverFirst = textOf(conversation.serverFirst)
  t.equal(serverFirst, `r=abc${nonce},s=${Buffer.from(salt).toString('base64')},i=4096`)
  const { message, expected } = clientFinal('n=user,r=abc', serverFirst, 'pencil')
  const reply = conversation.step(utf8(message))
  t.same([textOf(reply.payload), reply.done], [expected, true])
  t.throws(() => conversation.step(utf8(message)), { code: 17 })
})

t.test('a client that does not skip it closes with an empty round', async (t) => {
  const conversation = converse('y,a=user,n=user,r=abc', false)
  const serverFirst = textOf(conversation.serverFirst)
  const binding = Buffer.from('y,a=user,').toString('base64')
  const { message } = clientFinal('n=user,r=abc', serverFirst, 'pencil', binding)
  t.equal(conversation.step(utf8(message)).done, false)
  t.same(conversation.step(new Uint8Array(0)), { payload: new Uint8Array(0), done: true })
  t.throws(() => conversation.step(new Uint8Array(0)), { code: 17 })
  const other = converse('n,,n=user,r=abc', false)
  const right = clientFinal('n=user,r=abc', textOf(other.serverFirst), 'pencil')
  other.step(utf8(right.message))
  t.throws(() => other.step(utf8('more')), failed)
})

t.test('any change to client-final fails, always in the same words', async (t) => {
  const serverFirst = textOf(converse('n,,n=user,r=abc').serverFirst)
  const { message } = clientFinal('n=user,r=abc', serverFirst, 'pencil')
  const wrong = clientFinal('n=user,r=abc', serverFirst, 'pencils').message
  const attempts = [
    wrong,
    '',
    message.replace('c=biws', 'c=eSws'),
    message.replace('r=abc', 'r=abd'),
    message.replace(/,p=.*/, ''),
    message.replace(/,p=.*/, ',p='),
    message.replace(/,p=.*/, ',p=AAAA'),
    `${message}AAAA`,
    `x${message}`,
  ]
  for (let at = 0; at < message.length; at++) {
    const code = message.charCodeAt(at)
    attempts.push(message.slice(0, at) + String.fromCharCode(code ^ 1) + message.slice(at + 1))
  }
  for (const attempt of attempts) {
    t.throws(() => converse('n,,n=user,r=abc').step(utf8(attempt)), failed, attempt)
  }
  t.throws(() => converse('n,,n=user,r=abc').step(Uint8Array.of(0xff, 0xfe)), failed)
})

t.test('the grammar of client-first is held', async (t) => {
  const names: [string, string][] = [
    ['n,,n=user,r=abc', 'user'],
    ['y,,n=user,r=abc', 'user'],
    ['n,,n=a=2Cb=3Dc,r=abc', 'a,b=c'],
    ['n,a=a=2Cb,n=a=2Cb,r=abc', 'a,b'],
    ['n,,n=\u00fc\u{1f600},r=abc', '\u00fc\u{1f600}'],
    ['n,,n=0xAb:12,r=abc,x=later', '0xAb:12'],
  ]
  for (const [message, user] of names) t.equal(parseClientFirst(utf8(message)).user, user)
  for (const message of [
    '',
    'n,,',
    'n,,n=,r=abc',
    'n,,n=user',
    'n,,n=user,r=',
    'n,,n=user,r=a b',
    'n,,n=us=er,r=abc',
    'n,,n=us=2cer,r=abc',
    'n,,m=x,n=user,r=abc',
    'n,a=other,n=user,r=abc',
    'p=tls-unique,,n=user,r=abc',
    'x,,n=user,r=abc',
    'n=user,r=abc',
  ]) {
    t.throws(() => parseClientFirst(utf8(message)), failed, message)
  }
})

t.test('a decoy is stable, looks like the others and is opened by nothing', async (t) => {
  const secret = Uint8Array.of(1, 2, 3)
  const decoy = decoyVerifier(secret, 'unknown', 4096)
  t.same(decoyVerifier(secret, 'unknown', 4096), decoy)
  t.notSame(decoyVerifier(secret, 'unknown2', 4096).salt, decoy.salt)
  t.notSame(decoyVerifier(Uint8Array.of(4), 'unknown', 4096).salt, decoy.salt)
  t.equal(decoy.salt.length, 32)
  const conversation = converse('n,,n=unknown,r=abc', true, decoy)
  const serverFirst = textOf(conversation.serverFirst)
  const { message } = clientFinal('n=unknown,r=abc', serverFirst, '')
  t.throws(() => conversation.step(utf8(message)), failed)
})

t.test('PLAIN is three parts, the first empty or the user', async (t) => {
  t.same(parsePlain(utf8('\0user\0pass word')), { user: 'user', password: 'pass word' })
  t.same(parsePlain(utf8('user\0user\0p')), { user: 'user', password: 'p' })
  for (const wrong of [
    '',
    'user\0p',
    '\0user\0',
    '\0\0p',
    'x\0user\0p',
    '\0user\0p\0',
    '\0u\0p\0q',
  ]) {
    t.throws(() => parsePlain(utf8(wrong)), failed)
  }
})
