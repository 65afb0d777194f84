// What keys look like: `svc_live_`, `svc_test_` or `svc_op_` and 64 lower-case hex digits. A server
// takes the keys of its own mode only, so that a test key is worth nothing where it counts.

/** `live` or `test` (setting KEY_MODE). */
export type KeyMode = 'live' | 'test'

const walletKey = /^svc_(live|test)_[0-9a-f]{64}$/
const hashForm = /^[0-9a-f]{64}$/
/** `svc_live_` and 6 digits: what listings show of a key. */
const prefixChars = 15

/** Whether it has the form of a wallet's key of this mode. */
export function isWalletKey(text: string, mode: KeyMode): boolean {
  return walletKey.exec(text)?.[1] === mode
}

/** Whether it has the form of a wallet's key, of whatever mode: 256 bits, which are not guessed. */
export function looksLikeWalletKey(text: string): boolean {
  return walletKey.test(text)
}

/** Whether it has the form of a key's hash, as routes name keys by. */
export function isKeyHash(text: string): boolean {
  return hashForm.test(text)
}

/** `svc_live_` or `svc_test_`, and the digits. */
export function writeKey(mode: KeyMode, digits: string): string {
  return `svc_${mode}_${digits}`
}

/** What may be shown of a key: 24 bits of its 256. */
export function prefixOf(key: string): string {
  return key.slice(0, prefixChars)
}
