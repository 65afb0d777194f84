// The classes of prom-client by file. Its index loads six times as many, most of them process
// metrics and a tracing library, which are unused here.

import { createRequire } from 'node:module'
import type client from 'prom-client'

const load = createRequire(import.meta.url)

export const Counter = load('prom-client/lib/counter.js') as typeof client.Counter
export const Gauge = load('prom-client/lib/gauge.js') as typeof client.Gauge
export const Registry = load('prom-client/lib/registry.js') as typeof client.Registry
export const Summary = load('prom-client/lib/summary.js') as typeof client.Summary
export type Registry = client.Registry
