// What may name a database and a collection: which characters, how long, and which names are the
// server's own. Homes of wallets have names of their own form. (docs/rights.md, "Names")

import { fail, type GatewayError } from '../../../base/errors.js'
import { databaseNameBytesMax, namespaceBytesMax } from '../../../base/limits.js'
import { auditName, isGraphPart } from './descriptors.js'
import { requireHomeForm } from './homes.js'

/** Letters, digits, _ and - alone: what nearly all names are made of, and no rule is against. */
function isPlain(name: string): boolean {
  return /^[\w-]+$/.test(name)
}

/** Whether a name may stand in a command at all; throws InvalidNamespace. */
export function checkNamespaceName(db: string, name: string): void {
  checkDatabaseName(db)
  if (databaseNameBytesMax + 1 + name.length <= namespaceBytesMax && isPlain(name)) return
  if (name === '') throw fail('InvalidNamespace', `Invalid namespace specified '${db}.'`)
  if (name.startsWith('.')) {
    throw fail('InvalidNamespace', `Collection names cannot start with '.': ${name}`)
  }
  if (name.includes('\0')) {
    throw fail('InvalidNamespace', 'namespaces cannot have embedded null characters')
  }
  if (name.includes('$')) throw fail('InvalidNamespace', `Invalid collection name: ${name}`)
  if (Buffer.byteLength(db) + 1 + Buffer.byteLength(name) > namespaceBytesMax) {
    throw fail(
      'InvalidNamespace',
      `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: ${namespaceBytesMax}`,
    )
  }
}

/** Throws InvalidNamespace for what cannot name a database. */
export function checkDatabaseName(db: string): void {
  if (db.length <= databaseNameBytesMax && isPlain(db)) return
  const length = Buffer.byteLength(db)
  if (length === 0 || length > databaseNameBytesMax || /[/\\. "$\0]/.test(db)) {
    throw fail('InvalidNamespace', `Invalid database name: '${db}'`)
  }
}

const reservedDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local'])

/** Names that exist for the server alone (docs/rights.md, "Names"). */
export function requireWritableName(db: string, name: string): void {
  requireHomeForm(db)
  if (reservedDatabases.has(db)) {
    throw fail('InvalidNamespace', `database '${db}' is reserved: cannot write to ${db}.${name}`)
  }
  if (name.startsWith('system.')) {
    throw fail('InvalidNamespace', `Invalid system namespace: ${db}.${name}`)
  }
  if (name === auditName || isGraphPart(name)) throw reservedName(db, name)
}

/** The refusal to write under a name that is the server's. */
export function reservedName(db: string, name: string): GatewayError {
  return fail('InvalidNamespace', `collection name is reserved: ${db}.${name}`)
}
