// Which tests a server is asked to pass: what the server tells of itself decides, as in the
// drivers' own runners, so that a wrong version or topology shows here first.

import type { MongoClient } from 'mongodb'
import type { Fields, Operation, Requirement, SpecTest } from './format.js'

export interface ServerFacts {
  /** Major, minor, patch. */
  readonly version: readonly number[]
  readonly topology: string
  readonly parameters: Fields
}

/** Asks over a connection that has signed in. */
export async function serverFacts(client: MongoClient): Promise<ServerFacts> {
  const admin = client.db('admin')
  const hello = await admin.command({ hello: 1 })
  const build = await admin.command({ buildInfo: 1 })
  const parameters = await admin.command({ getParameter: '*' })
  return { version: numbersOf(String(build.version)), topology: topologyOf(hello), parameters }
}

function topologyOf(hello: Fields): string {
  if (hello.setName !== undefined) return 'replicaset'
  return hello.msg === 'isdbgrid' ? 'sharded' : 'single'
}

/** True if one of the requirements is met, or none stands. */
export function isMet(requirements: readonly Requirement[] | undefined, facts: ServerFacts) {
  return unmet(requirements, facts) === undefined
}

/** What stands against it, in a few words; undefined where the server is asked to pass. */
export function unmet(
  requirements: readonly Requirement[] | undefined,
  facts: ServerFacts,
): string | undefined {
  if (requirements === undefined) return undefined
  const reasons = requirements.map((one) => unmetOf(one, facts))
  if (reasons.includes(undefined)) return undefined
  // Of several ways in, the first that fails by no more than its kind of server says it best.
  return reasons.find((reason) => reason?.startsWith('needs a')) ?? reasons[0]
}

function unmetOf(one: Requirement, facts: ServerFacts): string | undefined {
  const { version, parameters } = facts
  if (one.topologies !== undefined && !one.topologies.includes(facts.topology)) {
    return `needs a deployment that is ${one.topologies.join(' or ')}`
  }
  const { minServerVersion: least = '0', maxServerVersion: most } = one
  if (isBefore(version, least)) return `needs version ${least}`
  if (most !== undefined && isAfter(version, most)) return `is for versions up to ${most}`
  // The operator signs in always; there is no serverless Sigil and no client-side encryption.
  if (one.auth === false) return 'needs a server without sign-in'
  if (one.serverless === 'require') return 'needs a serverless server'
  if (one.csfle === true) return 'needs client-side encryption'
  if (one.authMechanism !== undefined) {
    const mechanisms = parameters.authenticationMechanisms
    if (!Array.isArray(mechanisms) || !mechanisms.includes(one.authMechanism)) {
      return `needs ${one.authMechanism}`
    }
  }
  const wanted = Object.entries(one.serverParameters ?? {})
  const missing = wanted.find(([name, value]) => parameters[name] !== value)
  return missing === undefined ? undefined : `needs the parameter ${missing[0]}`
}

/** Fail points exist only where the server says that test commands are on. */
export function usesMissingFailPoint(test: SpecTest, facts: ServerFacts): boolean {
  const isOn = facts.parameters.enableTestCommands
  if (isOn === true || isOn === 1) return false
  return test.operations.some(isFailPoint)
}

export function isFailPoint({ name }: Operation): boolean {
  return /^(?:targeted)?failPoint$/i.test(name)
}

function numbersOf(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10))
}

/** 4.2 is 4.2.0, as in the files. */
function order(version: readonly number[], other: string): number {
  const numbers = numbersOf(other)
  for (let i = 0; i < 3; i++) {
    const difference = (version[i] ?? 0) - (numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const isBefore = (version: readonly number[], other: string) => order(version, other) < 0
const isAfter = (version: readonly number[], other: string) => order(version, other) > 0
