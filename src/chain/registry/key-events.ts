// Parses the two events of the key registry and validates them: an event that the contract cannot
// have written is a node's error.

import { id } from 'ethers'
import { ChainAway } from '../remote/away.js'
import { hashOf } from '../remote/header.js'
import { addressOfWord, numberOfWord, quantity, requireHex, wordsOf } from '../words.js'

export const registeredTopic = id('KeyRegistered(address,uint256,bytes32,bytes32,bytes32)')
export const revokedTopic = id('KeyRevoked(address,uint256,bytes32)')

export interface KeyEvent {
  readonly kind: 'registered' | 'revoked'
  readonly block: number
  readonly logIndex: number
  /** Lower case. */
  readonly address: string
  readonly index: number
  /** 64 lower-case hex digits, as storedKey; a revocation has none. */
  readonly commitment: string
  readonly storedKey: string
}

/** The events of an eth_getLogs response; throws ChainAway if one is not of `contract`. */
export function readKeyEvents(answer: unknown, contract: string): KeyEvent[] {
  if (!Array.isArray(answer)) throw new ChainAway('the chain answered no list of events')
  const events: KeyEvent[] = []
  for (const log of answer) {
    if (typeof log !== 'object' || log === null) throw new ChainAway('an event is no object')
    const fields = log as Record<string, unknown>
    if (fields.removed === true) continue
    const event = readKeyEvent(fields, contract)
    if (event !== undefined) events.push(event)
  }
  return events
}

function readKeyEvent(log: Record<string, unknown>, contract: string): KeyEvent | undefined {
  if (String(log.address).toLowerCase() !== contract.toLowerCase()) {
    throw new ChainAway('an event is not of the contract that was asked for')
  }
  const topics = Array.isArray(log.topics) ? log.topics.map(hashOf) : []
  const [topic, wallet = '', index = '', commitment = ''] = topics
  const isRegistration = topic === registeredTopic
  if (!isRegistration && topic !== revokedTopic) return undefined
  if (topics.length !== 4) throw new ChainAway('an event lacks its topics')
  return {
    kind: isRegistration ? 'registered' : 'revoked',
    block: quantity(log.blockNumber),
    logIndex: quantity(log.logIndex),
    address: addressOfWord(requireHex(wallet)),
    index: numberOfWord(index.slice(2)),
    commitment: commitment.slice(2),
    storedKey: isRegistration ? (wordsOf(log.data, 2)[0] ?? '') : '',
  }
}
