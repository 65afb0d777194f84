// Pages are named in the part of the address behind `#`, which no server sees: so no page can hide
// a route of the API, and an address can be kept and shared.

import { signal } from '@preact/signals'

interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export const route = signal<Route>(routeOf(location.hash))

/** Of path segments and query values; empty values are left out. */
export function linkTo(
  path: readonly string[],
  query: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Follows the address from now on. */
export function followRoute(): void {
  const follow = () => {
    route.value = routeOf(location.hash)
  }
  follow()
  addEventListener('hashchange', follow)
}

function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: new URLSearchParams(search),
  }
}

/** An address that someone has cut is no reason to fail. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
