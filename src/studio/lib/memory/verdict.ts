// The server's verdict on a memory or on a graph, in words: what holds, what does not, and what
// that means. (docs/memory.md, "Verify")

/** What a badge tells. */
export interface BriefVerdict {
  readonly verified: boolean
  readonly problem: string | null
}

/** Of many memories. */
export interface Verdicts {
  readonly results: readonly (BriefVerdict & { readonly id: string })[]
  readonly graphKey: string | null
  readonly transactions: readonly { readonly txHash: string; readonly explorerUrl: string }[]
}

export interface Verdict extends BriefVerdict {
  readonly hashValid: boolean
  readonly anchored: boolean
  readonly proofValid: boolean
  readonly onChain: boolean
  readonly stateValid: boolean
  readonly graphKey: string | null
  readonly root: string | null
  readonly txHash: string | null
  readonly anchoredAt: number | null
  readonly anchoredBy: string | null
  readonly explorerUrl: string | null
  readonly computedHash: string
  readonly warnings: readonly string[]
}

export type Standing = 'verified' | 'waiting' | 'unknown' | 'changed' | 'gone'

const standings: ReadonlyMap<string, Standing> = new Map([
  ['not anchored yet', 'waiting'],
  ['changed since, not anchored', 'waiting'],
  ['chain unreachable', 'unknown'],
  ['no chain configured', 'unknown'],
  ['not found', 'gone'],
])

/** Whatever is neither good, nor waiting, nor unknown was changed behind the server's back. */
export function standingOf({ verified, problem }: BriefVerdict): Standing {
  if (verified) return 'verified'
  return standings.get(problem ?? '') ?? 'changed'
}

export const badges: Readonly<Record<Standing, { readonly sign: string; readonly text: string }>> =
  {
    verified: { sign: '✓', text: 'verified' },
    waiting: { sign: '○', text: 'not anchored yet' },
    unknown: { sign: '?', text: 'cannot check' },
    changed: { sign: '✗', text: 'tampered' },
    gone: { sign: '–', text: 'gone' },
  }

const meanings: ReadonlyMap<string, string> = new Map([
  [
    'content hash mismatch',
    'Its text, source, entities or another hashed field was changed after it was written.',
  ],
  ['changed since it was anchored', 'It was rewritten: an anchor lists it with another hash.'],
  ['hash not in anchor batch', 'The anchor that it names does not list its hash.'],
  ['anchored twice', 'Two anchors list it.'],
  ['anchor id mismatch', 'An anchor lists it, but it does not name that anchor.'],
  [
    'merkle proof invalid',
    'A list of hashes does not give the root of its anchor: it was changed.',
  ],
  ['root not found on chain', 'The contract does not have the root of its anchor.'],
  ['state not as recorded', 'Its status or its validity was changed without a record.'],
  ['edge not as recorded', 'One of its edges was changed without a record.'],
  [
    'anchors missing',
    'The chain counts more roots than the store: the store was set back, or anchors were removed.',
  ],
  ['anchor chain broken', 'The sequence or the roots of the anchors do not match the chain.'],
  ['upgrade not proved', 'Old roots are used without an anchored record of the upgrade.'],
  ['graph leaves not as recorded', 'The records about the graph, or its settings, were changed.'],
  ['graph moved without a leaf', 'The database or the name of the graph has no record.'],
  ['not anchored yet', 'No anchor covers it yet. Anchors are made every ten minutes.'],
  ['changed since, not anchored', 'A recorded change waits for the next anchor.'],
  ['chain unreachable', 'The chain does not answer, so its roots cannot be compared.'],
  ['no chain configured', 'This server has no chain, so nothing can be compared.'],
  ['not found', 'The memory does not exist any more.'],
  ['memory missing', 'A root lists a memory that does not exist, without a recorded deletion.'],
  ['deletion not recorded', 'A deleted memory has no record of its deletion.'],
  ['leaf missing', 'A root lists a record that does not exist.'],
  ['leaf not as recorded', 'A root lists a record that is different now.'],
  ['leaf not in anchor batch', 'A record names an anchor that does not list it.'],
  ['edge missing', 'An edge does not exist, and no record tells of its removal.'],
  ['deleted, but present', 'The newest record is a deletion, and it is still there.'],
])

/** The server's word if it is a new one. */
export function meaningOf(problem: string): string {
  return meanings.get(problem) ?? problem
}

interface Check {
  readonly name: string
  readonly text: string
  readonly holds: boolean
  /** Not yet, rather than no. */
  readonly isOpen: boolean
}

export function checksOf(verdict: Verdict): readonly Check[] {
  const standing = standingOf(verdict)
  const isOpen = standing === 'waiting' || standing === 'unknown'
  const { hashValid, anchored, proofValid, onChain, stateValid } = verdict
  return [
    { name: 'Content', text: 'The hash is that of its fields.', holds: hashValid, isOpen: false },
    { name: 'Anchor', text: 'One anchor lists it.', holds: anchored, isOpen },
    { name: 'Proof', text: "The list gives the anchor's root.", holds: proofValid, isOpen },
    { name: 'Chain', text: 'The contract has that root.', holds: onChain, isOpen },
    { name: 'State', text: 'Status and edges are as recorded.', holds: stateValid, isOpen },
  ]
}
