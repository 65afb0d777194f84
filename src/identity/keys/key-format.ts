// The form of keys: `svc_live_`, `svc_test_` or `svc_op_` and 64 lower-case hex digits. A server
// accepts only keys of its own mode, so a test key is worthless in production.

/** `live` or `test` (setting KEY_MODE). */
export type KeyMode = 'live' | 'test'

const walletKey = /^svc_(live|test)_[0-9a-f]{64}$/
const hashForm = /^[0-9a-f]{64}$/
/** `svc_live_` and 6 digits: what listings show of a key. */
const prefixChars = 15

/** Whether the text has the form of a wallet's key of this mode. */
export function isWalletKey(text: string, mode: KeyMode): boolean {
  return walletKey.exec(text)?.[1] === mode
}

/** Whether the text has the form of a wallet's key of any mode: 256 bits, impossible to guess. */
export function looksLikeWalletKey(text: string): boolean {
  return walletKey.test(text)
}

/** Whether the text has the form of a key's hash, by which routes name keys. */
export function isKeyHash(text: string): boolean {
  return hashForm.test(text)
}

/** `svc_live_` or `svc_test_`, and the digits. */
export function writeKey(mode: KeyMode, digits: string): string {
  return `svc_${mode}_${digits}`
}

/** The part of a key that may be shown: 24 of its 256 bits. */
export function prefixOf(key: string): string {
  return key.slice(0, prefixChars)
}
