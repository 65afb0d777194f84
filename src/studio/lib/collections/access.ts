// Who may do what with a collection: mode, owner and roles, as the server tells the caller; and the
// changes that the server allows. (docs/rights.md, "Collections")

import { ApiError, askJson } from '../api.js'
import { type CollectionPlace, routeOf } from './collection-place.js'

export const modes = ['private', 'public', 'shared'] as const

export type Mode = (typeof modes)[number]

type Role = 1 | 2

export interface Access {
  readonly mode: string
  /** Null: the operator's. */
  readonly owner: string | null
  /** Undefined: told to the owner and the operator alone. */
  readonly roles: Readonly<Record<string, number>> | undefined
  /** What the caller itself may do; none where it may not read. */
  readonly may: readonly string[]
}

interface Privacy {
  readonly mode: string
  readonly ownerAddress: string | null
  readonly accessRoles?: Readonly<Record<string, number>>
}

export async function accessOf(at: CollectionPlace, signal: AbortSignal): Promise<Access> {
  const get = <T>(part: string) => askJson<T>('GET', routeOf(at, part), undefined, { signal })
  const [{ privacy }, may] = await Promise.all([
    get<{ privacy: Privacy }>('privacy'),
    get<{ may: readonly string[] }>('stats').then(
      (stats) => stats.may,
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 403) return []
        throw error
      },
    ),
  ])
  const { mode, ownerAddress: owner, accessRoles: roles } = privacy
  return { mode, owner, roles, may }
}

export async function setMode(at: CollectionPlace, mode: Mode): Promise<void> {
  await askJson('POST', routeOf(at, 'privacy'), { mode })
}

export async function setOwner(at: CollectionPlace, ownerAddress: string): Promise<void> {
  await askJson('POST', routeOf(at, 'privacy'), { ownerAddress })
}

export async function grantRole(at: CollectionPlace, address: string, role: Role): Promise<void> {
  await askJson('POST', routeOf(at, 'roles'), { address, action: 'grant', role })
}

export async function revokeRole(at: CollectionPlace, address: string): Promise<void> {
  await askJson('POST', routeOf(at, 'roles'), { address, action: 'revoke' })
}

interface Sight {
  readonly who: string
  readonly may: string
}

const everything = 'everything: reads, writes, changes access, renames, drops'

/** What each kind of caller may do under a mode, in words. */
export function sightsOf(mode: string): readonly Sight[] {
  const reader = mode === 'shared' ? 'reads and writes documents' : 'reads documents'
  const another = { public: 'reads documents', shared: 'reads and writes documents' }[mode]
  return [
    { who: 'The owner', may: everything },
    { who: 'A wallet with role 2', may: 'reads and writes documents, makes plain indexes' },
    { who: 'A wallet with role 1', may: reader },
    {
      who: 'Another wallet',
      may: `sees mode and owner; ${another ?? 'reads nothing, and does not find it in lists'}`,
    },
  ]
}
