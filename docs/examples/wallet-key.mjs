// From a wallet to its API key. The wallet signs in, derives its next key by signing the documented
// text, and registers it on the chain, paid for by Sigil. The key itself is never sent: only its
// commitment and verifiers are. Prints two lines for the shell.
//
//     PRIVATE_KEY=0x… SIGIL_URL=http://127.0.0.1:8080 node docs/examples/wallet-key.mjs

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { getBytes, id, keccak256, solidityPackedKeccak256, Wallet } from 'ethers'

const url = process.env.SIGIL_URL ?? 'http://127.0.0.1:8080'
const wallet = new Wallet(process.env.PRIVATE_KEY)
const cookies = new Map()

async function call(method, path, body) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const csrf = cookies.get('svc_csrf') ?? ''
  const headers = { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  for (const line of reply.headers.getSetCookie()) cookies.set(...line.split(';')[0].split(/=(.*)/s))
  const answer = await reply.json()
  if (answer.ok !== 1) throw new Error(`${path}: ${answer.errmsg}`)
  return answer
}

const { message } = await call('POST', '/auth/nonce', { address: wallet.address })
await call('POST', '/auth/verify', { message, signature: await wallet.signMessage(message) })

// The signature is as secret as the key, so it is never sent.
const { domain, nextIndex: index, nonce, chainTime } = await call('GET', `/registry?address=${wallet.address}`)
const signature = await wallet.signMessage(`Sigil API Key #${index} for ${wallet.address}`)
const apiKey = `svc_live_${keccak256(signature).slice(2)}`

// The chain stores what checks the key and does not reveal it.
const salt = getBytes(solidityPackedKeccak256(['address', 'uint256'], [wallet.address, index]))
const salted = pbkdf2Sync(apiKey, salt, 4096, 32, 'sha256')
const hmac = (text) => createHmac('sha256', salted).update(text).digest()
const key = {
  index,
  commitment: id(apiKey),
  storedKey: `0x${createHash('sha256').update(hmac('Client Key')).digest('hex')}`,
  serverKey: `0x${hmac('Server Key').toString('hex')}`,
}

// The signed request to the registry, which Sigil forwards and pays for.
const types = {
  RegisterKey: [
    { name: 'wallet', type: 'address' },
    { name: 'index', type: 'uint256' },
    { name: 'commitment', type: 'bytes32' },
    { name: 'storedKey', type: 'bytes32' },
    { name: 'serverKey', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
}
const deadline = chainTime + 900
const metaSignature = await wallet.signTypedData(domain, types, { wallet: wallet.address, ...key, nonce, deadline })
await call('POST', '/keys/generate', {
  label: 'example',
  permissions: ['all'],
  onChain: { ...key, metaSignature, deadline },
})

console.log(`export WALLET=${wallet.address}`)
console.log(`export WALLET_KEY=${apiKey}`)
