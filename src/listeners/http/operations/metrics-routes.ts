// The monitoring routes: the metrics in two formats, and readiness. They are open on loopback; over
// a network they need METRICS_TOKEN or an administrator.

import { hash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { RawRoute, Route } from '../core/route.js'
import { type MetricsSources, metricsJson, readFigures } from './metrics.js'
import { metricsText, textContentType } from './metrics-series.js'
import { type ReadinessOptions, readiness } from './readiness.js'

type WatchOptions = MetricsSources & ReadinessOptions

export function metricsRoutes(options: WatchOptions): readonly (Route | RawRoute)[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      access: 'metrics',
      answers: 'text/plain',
      send: async (_call, outgoing, headers) => sendText(options, outgoing, headers),
    },
    {
      method: 'GET',
      path: '/api/v1/metrics',
      access: 'metrics',
      run: async () => metricsJson(await readFigures(options)),
    },
    { method: 'GET', path: '/ready', access: 'metrics', run: () => readiness(options) },
  ]
}

/** Whether a key is METRICS_TOKEN; constant time. */
export function metricsTokenCheck(token: string | undefined): (given: string) => boolean {
  if (token === undefined) return () => false
  const wanted = hash('sha256', token, 'buffer')
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), wanted)
}

async function sendText(
  options: WatchOptions,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const text = await metricsText(await readFigures(options))
  outgoing.writeHead(200, { ...headers, 'content-type': textContentType })
  outgoing.end(text)
}
