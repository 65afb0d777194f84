// Two of the framework's routers behind one: the routes of documents, which are asked most, by one
// regular expression; the others by a trie, which alone takes a name beside fixed words
// (`/keys/:hash` beside `/keys/generate`). The expression is three times as fast.

import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'

export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter'
  private readonly fast = new RegExpRouter<T>()
  private readonly others = new TrieRouter<T>()

  /** Paths that begin with `prefix` must not differ by a name and a word at one place. */
  constructor(private readonly prefix: string) {}

  add(method: string, path: string, handler: T): void {
    this.routerOf(path).add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    return this.routerOf(path).match(method, path)
  }

  private routerOf(path: string): Router<T> {
    return path.startsWith(this.prefix) ? this.fast : this.others
  }
}
