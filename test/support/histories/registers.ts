// Checks histories of single registers: each operation takes effect at one moment between its begin
// and its end, as Porcupine asks (Wing and Gong, with Lowe's linearization at the last moment). The
// possible states are kept while the events pass; when none is left, no order explains them.

export type RegisterAction =
  | { readonly kind: 'read'; readonly value: number | undefined }
  | { readonly kind: 'write'; readonly value: number }
  /** Whether the register had `from` and now has `to`. */
  | { readonly kind: 'swap'; readonly from: number; readonly to: number; readonly isDone: boolean }

export interface RegisterOperation {
  readonly register: string
  readonly action: RegisterAction
  /** `unknown`: it may have taken effect at any time after its begin, or not at all. */
  readonly outcome: 'done' | 'unknown'
  readonly began: number
  readonly ended: number
}

/** A possible state: the value, and which of the open operations have taken effect. */
interface Possible {
  readonly value: number | undefined
  readonly made: ReadonlySet<number>
}

/** What is wrong, one text for each register without an order. Written values must differ. */
export function checkRegisters(operations: readonly RegisterOperation[]): readonly string[] {
  const byRegister = new Map<string, RegisterOperation[]>()
  for (const operation of operations) {
    const others = byRegister.get(operation.register)
    if (others === undefined) byRegister.set(operation.register, [operation])
    else others.push(operation)
  }
  return [...byRegister].flatMap(([register, own]) => {
    const wrong = checkRegister(own)
    return wrong === undefined ? [] : [`register ${register}: ${wrong}`]
  })
}

function checkRegister(all: readonly RegisterOperation[]): string | undefined {
  const operations = all.filter(({ outcome, action }) => {
    return outcome === 'done' || action.kind !== 'read'
  })
  const unseen = unseenIn(operations)
  const events = operations.flatMap(({ began, ended, outcome }, at) => [
    { at, place: began, isEnd: false },
    ...(outcome === 'done' ? [{ at, place: ended, isEnd: true }] : []),
  ])
  events.sort((one, other) => one.place - other.place)
  const open = new Set<number>()
  let possible: readonly Possible[] = [{ value: undefined, made: new Set() }]
  for (const { at, isEnd } of events) {
    if (!isEnd) {
      open.add(at)
      continue
    }
    const values = [...new Set(possible.map(({ value }) => value))]
    possible = statesAfter(possible, at, { operations, open, unseen })
    if (possible.length === 0) {
      return `no order explains ${JSON.stringify(operations[at])}, where it may have ${values}`
    }
    open.delete(at)
  }
  return undefined
}

/** The unknown ones whose values were never seen. They explain nothing but swaps that failed. */
function unseenIn(operations: readonly RegisterOperation[]): ReadonlySet<number> {
  const seen = new Set<number | undefined>()
  for (const { action } of operations) {
    if (action.kind === 'read') seen.add(action.value)
    if (action.kind === 'swap' && action.isDone) seen.add(action.from)
  }
  const unseen = new Set<number>()
  for (const [at, { outcome, action }] of operations.entries()) {
    if (outcome === 'done' || action.kind === 'read') continue
    if (!seen.has(action.kind === 'write' ? action.value : action.to)) unseen.add(at)
  }
  return unseen
}

interface Open {
  readonly operations: readonly RegisterOperation[]
  readonly open: ReadonlySet<number>
  readonly unseen: ReadonlySet<number>
}

/** Unseen ones that are tried right before a swap that failed: they differ in nothing else. */
const unseenTried = 2

/** The states in which `ending` has taken effect: others may have done so right before it. */
function statesAfter(
  possible: readonly Possible[],
  ending: number,
  { operations, open, unseen }: Open,
): readonly Possible[] {
  const reached = new Map<string, Possible>()
  const after = new Map<string, Possible>()
  const waiting = [...possible]
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (state.made.has(ending)) {
      const made = new Set(state.made)
      made.delete(ending)
      const left = { value: state.value, made }
      after.set(nameOf(left), left)
      continue
    }
    const name = nameOf(state)
    if (reached.has(name)) continue
    reached.set(name, state)
    let left = hasFailed(operations[ending]?.action) ? unseenTried : 0
    for (const at of open) {
      if (state.made.has(at) || (unseen.has(at) && left === 0)) continue
      const effect = effectOf(operations[at]?.action, state.value)
      if (effect === undefined) continue
      if (unseen.has(at)) left--
      waiting.push({ value: effect.value, made: new Set(state.made).add(at) })
    }
  }
  return [...after.values()]
}

function hasFailed(action: RegisterAction | undefined): boolean {
  return action?.kind === 'swap' && !action.isDone
}

const nameOf = ({ value, made }: Possible) => `${value}|${[...made].sort((a, b) => a - b)}`

/** The value behind it; undefined if the action cannot happen at this value. */
function effectOf(
  action: RegisterAction | undefined,
  value: number | undefined,
): { readonly value: number | undefined } | undefined {
  switch (action?.kind) {
    case 'read':
      return action.value === value ? { value } : undefined
    case 'write':
      return { value: action.value }
    case 'swap':
      if ((action.from === value) !== action.isDone) return undefined
      return { value: action.isDone ? action.to : value }
    case undefined:
      return undefined
  }
}
