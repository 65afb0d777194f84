// Valid names of databases and collections: characters, length, and internal names. Homes have
// their own form. (docs/rights.md, "Names")

import { fail, type GatewayError } from '../../../base/errors.js'
import { databaseNameBytesMax, namespaceBytesMax } from '../../../base/limits/documents.js'
import { auditName, isGraphPart } from './descriptors.js'
import { requireHomeForm } from './homes.js'

/** Fast path: only letters, digits, _ and -, as in most names; always valid. */
function isPlain(name: string): boolean {
  return /^[\w-]+$/.test(name)
}

/** Checks whether a command may name it; throws InvalidNamespace. */
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

/** Throws InvalidNamespace for an invalid database name. */
export function checkDatabaseName(db: string): void {
  if (db.length <= databaseNameBytesMax && isPlain(db)) return
  const length = Buffer.byteLength(db)
  if (length === 0 || length > databaseNameBytesMax || /[/\\. "$\0]/.test(db)) {
    throw fail('InvalidNamespace', `Invalid database name: '${db}'`)
  }
}

const reservedDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local'])

/** Rejects names that only the server may write (docs/rights.md, "Names"). */
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

/** The error for a write under an internal name. */
export function reservedName(db: string, name: string): GatewayError {
  return fail('InvalidNamespace', `collection name is reserved: ${db}.${name}`)
}
