// A self-signed certificate for localhost and 127.0.0.1, made when a test needs one: no private key
// lies in the repository, and none expires. DER by hand (X.690, RFC 5280), as much as it takes.

import { createSign, generateKeyPairSync } from 'node:crypto'

interface Certificate {
  /** PEM. */
  readonly cert: Buffer
  readonly key: Buffer
}

const tag = { integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 24, sequence: 48, set: 49 }
const ecdsaWithSha256 = der(tag.oid, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
const commonName = der(tag.oid, [0x55, 0x04, 0x03])
const subjectAltName = der(tag.oid, [0x55, 0x1d, 0x11])

export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(tag.sequence, ecdsaWithSha256)
  const attribute = der(tag.sequence, commonName, der(tag.utf8, Buffer.from('localhost')))
  const name = der(tag.sequence, der(tag.set, attribute))
  const validity = der(tag.sequence, time('20000101000000Z'), time('29991231235959Z'))
  const toBeSigned = der(
    tag.sequence,
    der(0xa0, der(tag.integer, [2])),
    der(tag.integer, [1]),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tag.sequence, alternativeNames())),
  )
  const signature = createSign('sha256').update(toBeSigned).sign(privateKey)
  const whole = der(tag.sequence, toBeSigned, algorithm, der(tag.bits, [0], signature))
  const lines = whole.toString('base64').replace(/.{1,64}/g, '$&\n')
  return {
    cert: Buffer.from(`-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`),
    key: Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

function alternativeNames(): Buffer {
  const names = der(tag.sequence, der(0x82, Buffer.from('localhost')), der(0x87, [127, 0, 0, 1]))
  return der(tag.sequence, subjectAltName, der(tag.octets, names))
}

function time(text: string): Buffer {
  return der(tag.time, Buffer.from(text))
}

/** Tag, length, content. */
function der(kind: number, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)))
  const { length } = content
  const head = length < 128 ? [kind, length] : [kind, 0x82, (length >> 8) & 0xff, length & 0xff]
  return Buffer.concat([Uint8Array.from(head), content])
}
