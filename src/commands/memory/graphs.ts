// Commands on whole graphs: listing, owner and access, ranking parameters, and deletion.
// (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import { rolesMax } from '../../base/limits/identity.js'
import type { Call } from '../../bus/document/call.js'
import {
  anyValue,
  bool,
  collection,
  number,
  object,
  oneOf,
  optional,
  string,
  withDefault,
} from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { accessIn } from '../../engine/collection/catalog/homes.js'
import type { Access, PrivacyMode, Privilege } from '../../engine/types.js'
import { requireAddress } from '../../identity/address.js'
import { walletOf } from '../../identity/identity.js'
import {
  dropGraph,
  ensureGraph,
  findParts,
  graphResources,
  saveAccess,
} from '../../memory/graph/graph.js'
import { graphCreation } from '../../memory/graph/graph-creation.js'
import { type GraphReport, listGraphs, reportOf } from '../../memory/graph/graph-list.js'
import { noteChange } from '../../memory/graph/graph-settings.js'
import { fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { type Document, documentValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { writeRoles } from '../admin/privacy.js'
import { graphResource, missingGraph } from './arguments.js'

const listGraphsRow = documentRow({
  name: 'listGraphs',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: anyValue,
  params: { name: optional(string) },
  resources: ({ db }) => [{ db, privileges: [], knowsGraphs: true }],
  help: 'Lists the graphs that the caller may read, or the one of that name, with their counts.',
  *run(tx, call) {
    const reports: GraphReport[] = []
    for (const { name, nodes } of yield* listGraphs(tx, call.db, call.args.name)) {
      if (!call.mayAt('read', nodes)) continue
      const report = yield* reportOf(tx, call.db, name)
      if (report !== undefined) reports.push(report)
    }
    return reply((out) => {
      out.openArray('graphs')
      for (const report of reports) {
        writeReport(out.pushOpenDocument(), report, call)
        out.close()
      }
      out.close()
    })
  },
})

function writeReport(
  out: DocumentWriter,
  report: GraphReport,
  call: Pick<Call<unknown, unknown>, 'mayAt'>,
): void {
  const { name, nodesPart, settings, nodes, edges, memories, anchors } = report
  const { access } = nodesPart
  out.string('name', name)
  if (access.owner === null) out.null('owner')
  else out.string('owner', access.owner)
  out.string('mode', access.mode)
  if (call.mayAt('admin', nodesPart)) writeRoles(out, access)
  out.int32('nodes', nodes).int32('edges', edges).int32('memories', memories)
  out.int32('anchors', anchors)
  if (settings === undefined) return
  out.int32('analyzer', settings.analyzer)
  if (settings.k1 !== undefined) out.double('k1', settings.k1)
  if (settings.b !== undefined) out.double('b', settings.b)
}

interface SetGraphArgs {
  readonly mode: PrivacyMode | undefined
  readonly ownerAddress: string | undefined
  readonly roles: Document | undefined
  readonly k1: number | undefined
  readonly b: number | undefined
}

type SetGraphCall = Call<SetGraphArgs, string>

const setGraphRow = documentRow({
  name: 'setGraph',
  ...plain,
  grows: 'documents',
  grain: 'point',
  access: 'identity',
  target: collection,
  params: {
    mode: optional(oneOf(['private', 'public', 'shared'])),
    ownerAddress: optional(string),
    roles: optional(object),
    k1: optional(number),
    b: optional(number),
  },
  resources: ({ db, target, args }) => graphResources(db, target, ...settingPrivileges(args)),
  audit: ({ args: { mode, ownerAddress, roles } }) => ({
    mode: mode ?? null,
    ownerAddress: ownerAddress ?? null,
    roles: roles !== undefined,
  }),
  help:
    'Sets the privacy mode, the roles and the ranking of a graph, and creates it if it is ' +
    'missing. Ownership is as for collections.',
  *run(tx, call) {
    const { db, target, args } = call
    const graph = yield* ensureGraph(tx, db, target, graphCreation(call))
    yield* saveAccess(tx, graph, changedAccess(call, graph.nodes.access))
    const { k1, b } = args
    yield* noteChange(tx, graph.anchors, {
      ...(k1 === undefined ? {} : { k1: requireWithin('k1', k1, k1Max) }),
      ...(b === undefined ? {} : { b: requireWithin('b', b, 1) }),
    })
    const report = yield* reportOf(tx, db, target)
    if (report === undefined) throw missingGraph(target)
    return reply((out) => writeReport(out, report, call))
  },
})

/** Upper bound of the BM25 parameters; larger values would only add up term frequencies. */
const k1Max = 10

/** A wallet claims an unowned graph by setting its mode only. Everything else needs its owner. */
function settingPrivileges({ mode, ownerAddress, roles, k1, b }: SetGraphArgs): Privilege[] {
  const claims = mode !== undefined || ownerAddress !== undefined
  const isOwners = roles !== undefined || k1 !== undefined || b !== undefined
  if (!claims && !isOwners) throw fail('BadValue', 'there is nothing to set')
  return [...(claims ? (['claim'] as const) : []), ...(isOwners ? (['admin'] as const) : [])]
}

function changedAccess(call: SetGraphCall, access: Access): Access {
  const { args } = call
  const { mode = access.mode, ownerAddress, roles } = args
  if (ownerAddress !== undefined && call.identity.kind !== 'operator') throw call.unauthorized()
  const claims = call.args.mode !== undefined || ownerAddress !== undefined
  const claimed = access.owner ?? (claims ? (walletOf(call.identity) ?? null) : null)
  const owner = ownerAddress === undefined ? claimed : requireAddress(ownerAddress, 'ownerAddress')
  call.services.spaces?.requireMaySet(call.identity, call.db, args.mode, access.mode)
  const isSettled = claims || access.isSettled === true
  return accessIn(call.db, {
    owner,
    mode,
    roles: roles === undefined ? access.roles : requireRoles(roles),
    ...(isSettled ? { isSettled } : {}),
  })
}

/** Parses roles: addresses with 1 (read) or 2 (write). */
function requireRoles(given: Document): Record<string, 1 | 2> {
  const roles: Record<string, 1 | 2> = {}
  for (const [address, value] of fieldsOf(documentValue(given))) {
    const role = value.isNumber ? numberOf(value) : 0
    if (role !== 1 && role !== 2) throw fail('BadValue', 'a role must be 1 (read) or 2 (write)')
    roles[requireAddress(address, 'roles')] = role
  }
  if (Object.keys(roles).length <= rolesMax) return roles
  throw fail('BadValue', `a graph has at most ${rolesMax} roles`)
}

function requireWithin(name: string, value: number, most: number): number {
  if (value >= 0 && value <= most) return value
  throw fail('BadValue', `'${name}' must be a number from 0 to ${most}`)
}

const dropGraphRow = documentRow({
  name: 'dropGraph',
  ...plain,
  grain: 'point',
  access: 'identity',
  target: collection,
  params: { release: withDefault(bool, false) },
  resources: graphResource('admin'),
  audit: ({ args: { release } }) => (release ? { release } : {}),
  help: 'Drops a graph. Its name stays reserved for its owner unless it is released.',
  *run(tx, call) {
    const parts = yield* findParts(tx, call.db, call.target)
    if (parts === undefined) throw missingGraph(call.target)
    yield* dropGraph(tx, parts, call.args.release)
    return reply((out) => out.bool('dropped', true))
  },
})

export const graphRows = [listGraphsRow, setGraphRow, dropGraphRow]
