// The table of HTTP routes. A row says who may call it and what its body may hold; the server
// checks both before `run` is called.

import type { Awaitable } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { BodySchema, HttpCall } from './call.js'
import { collectionRoutes } from './collection-routes.js'
import { documentRoutes } from './document-routes.js'

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** `none` answers anybody; `key` asks for the operator's key. */
  readonly access: 'none' | 'key'
  /** Present where the route takes a JSON body. */
  readonly fields?: BodySchema
  /** The reply body. */
  readonly run: (call: HttpCall) => Awaitable<string>
  /** For `Accept: application/x-ndjson`: the command whose cursor is streamed. */
  readonly stream?: (call: HttpCall, batchSize: number, streams: true) => Document
}

export const routes: readonly Route[] = [...collectionRoutes, ...documentRoutes]
