// What was run in the console, and what a user has saved by a name. A wallet's stay in the browser
// under its address, the operator's in memory alone. (docs/studio.md, "Console")

import { signal } from '@preact/signals'
import {
  type Kept,
  keepable,
  none,
  readKept,
  type SavedStatement,
  type Statement,
} from './keepable.js'

const historyMax = 100
const savedMax = 100

/** Newest first. */
export const kept = signal<Kept>(none)

/** Whose statements these are; null for the operator. */
let owner: string | null = null

const nameOf = (address: string) => `sigil-studio-statements ${address}`

export function openKept(address: string | null): void {
  if (owner === address && address === null) return
  owner = address
  kept.value = address === null ? none : readKept(localStorage.getItem(nameOf(address)))
}

/** The newest place is that of the last run. */
export function rememberRun(statement: Statement): void {
  const text = keepable(statement)
  if (text === undefined) return
  const others = kept.value.history.filter((one) => !isSame(one, { ...statement, text }))
  keep({ ...kept.value, history: [{ ...statement, text }, ...others].slice(0, historyMax) })
}

/** Under a name that another statement may have had. False if it may not be kept. */
export function saveStatement({ name, ...statement }: SavedStatement): boolean {
  const text = keepable(statement)
  if (text === undefined) return false
  const others = kept.value.saved.filter((one) => one.name !== name)
  const saved = [{ name, language: statement.language, text }, ...others].slice(0, savedMax)
  keep({ ...kept.value, saved })
  return true
}

export function removeSaved(name: string): void {
  keep({ ...kept.value, saved: kept.value.saved.filter((one) => one.name !== name) })
}

/** Of the caller, or with its sign-out of a wallet; what was saved stays. */
export function clearHistory(): void {
  keep({ ...kept.value, history: [] })
}

/** At the sign-out, also if the console was not open. */
export function endHistory(address: string | null): void {
  if (address !== null) {
    openKept(address)
    clearHistory()
  }
  owner = null
  kept.value = none
}

function keep(next: Kept): void {
  kept.value = next
  if (owner === null) return
  try {
    localStorage.setItem(nameOf(owner), JSON.stringify(next))
  } catch {
    // The browser keeps no more: what is in memory stays until the tab is closed.
  }
}

function isSame(one: Statement, other: Statement): boolean {
  return one.language === other.language && one.text === other.text
}
