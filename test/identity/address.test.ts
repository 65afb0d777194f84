// Addresses come in any case and leave in one; a checksum that does not hold is a mistyped digit.

import t from 'tap'
import {
  addressOfBytes,
  bytesOfAddress,
  parseAddress,
  requireAddress,
} from '../../src/identity/address.js'

/** The examples of EIP-55. */
const examples = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

t.test('any case is taken and EIP-55 is written', async (t) => {
  for (const address of examples) {
    const digits = address.slice(2)
    t.equal(parseAddress(address), address)
    t.equal(parseAddress(`0x${digits.toLowerCase()}`), address)
    t.equal(parseAddress(`0x${digits.toUpperCase()}`), address)
    t.equal(addressOfBytes(bytesOfAddress(address)), address)
  }
})

t.test('a mixed case that is no checksum is refused', async (t) => {
  const wrong = '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  t.equal(parseAddress(wrong), undefined)
  t.throws(() => requireAddress(wrong, 'address'), {
    code: 2,
    message: "field 'address': its mixed-case checksum does not hold",
  })
})

t.test('what is no address is refused', async (t) => {
  const [address = ''] = examples
  for (const bad of [
    '',
    '0x',
    address.slice(2),
    `${address}0`,
    address.slice(0, -1),
    ` ${address}`,
  ]) {
    t.equal(parseAddress(bad), undefined, bad)
  }
  t.throws(() => requireAddress('0xabc', 'wallet'), {
    code: 2,
    message: /'wallet': not an address/,
  })
})
