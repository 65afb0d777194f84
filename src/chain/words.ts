// The contract ABI encodings that every login and block uses: 32-byte words in hex, encoded by
// hand, because ethers' contracts double the time of a call. Rarer encodings use ethers' Interface.

import type { Bytes } from '../base/bytes/bytes.js'
import { ChainAway } from './remote/away.js'

const wordDigits = 64

/** `0x` and hex digits, or nothing: validates a node's answer. */
const hexForm = /^0x[0-9a-fA-F]*$/

/** Call data: a selector (0x and 8 digits) and words. */
export function callData(selector: string, ...words: readonly string[]): string {
  return selector + words.join('')
}

/** An address (0x and 40 digits) as a word. */
export function addressWord(address: string): string {
  return address.slice(2).toLowerCase().padStart(wordDigits, '0')
}

export function numberWord(value: number | bigint): string {
  return value.toString(16).padStart(wordDigits, '0')
}

/** Exactly `count` words of an answer; throws ChainAway if it is malformed. */
export function wordsOf(answer: unknown, count: number): string[] {
  const text = requireHex(answer)
  if (text.length !== 2 + count * wordDigits) {
    throw new ChainAway(`the contract answered ${(text.length - 2) / 2} bytes`)
  }
  return Array.from({ length: count }, (_, i) => {
    const start = 2 + i * wordDigits
    return text.slice(start, start + wordDigits).toLowerCase()
  })
}

/** A hex string of a node; throws ChainAway if it is none. */
export function requireHex(answer: unknown): string {
  if (typeof answer === 'string' && hexForm.test(answer)) return answer
  throw new ChainAway('the chain answered what is no hex string')
}

/** A quantity of a node (0x1a) as a number; throws ChainAway if invalid or above 2^53 - 1. */
export function quantity(answer: unknown): number {
  const value = Number(requireHex(answer))
  if (Number.isSafeInteger(value) && answer !== '0x') return value
  throw new ChainAway('the chain answered what is no quantity')
}

/** A quantity of any size: wei. */
export function bigQuantity(answer: unknown): bigint {
  const text = requireHex(answer)
  if (text === '0x') throw new ChainAway('the chain answered what is no quantity')
  return BigInt(text)
}

/** A number in JSON-RPC form: 0x and no leading zeros. */
export function hexQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** A word as a number; throws ChainAway above 2^53 - 1. */
export function numberOfWord(word: string | undefined): number {
  const value = Number(`0x${word ?? ''}`)
  if (Number.isSafeInteger(value)) return value
  throw new ChainAway('the contract answered a number out of range')
}

/** The last 20 bytes of a word, as 0x and 40 lower-case digits. */
export function addressOfWord(word: string): string {
  return `0x${word.slice(-40)}`
}

export function bytesOfHex(digits: string): Bytes {
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

export function hexOfBytes(bytes: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
