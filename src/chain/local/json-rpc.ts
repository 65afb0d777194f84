// JSON-RPC 2.0 over the node's methods, single requests and batches, for clients. It runs in the
// worker, so bodies and responses cost the main thread nothing.

import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { chainBatchMax, chainReplyBytesMax } from '../../base/limits/chain.js'
import { RpcError, rpcCodes } from '../remote/provider.js'

type Run = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The response; undefined if no request expects one. Never rejects. */
export async function answerBody(body: Bytes, run: Run): Promise<Bytes | undefined> {
  let parsed: unknown
  try {
    parsed = JSON.parse(textOf(body))
  } catch {
    return utf8(failed(null, new RpcError(rpcCodes.parseError, 'parse error')))
  }
  if (!Array.isArray(parsed)) return bytesOf(await answerOne(parsed, run))
  if (parsed.length === 0) return utf8(failed(null, invalid('empty batch')))
  if (parsed.length > chainBatchMax) return utf8(failed(null, invalid('batch too large')))
  return bytesOf(await answerBatch(parsed, run))
}

function bytesOf(text: string | undefined): Bytes | undefined {
  return text === undefined ? undefined : utf8(text)
}

/** Runs together, so that transactions of one batch can share a block; answers in order. */
async function answerBatch(requests: readonly unknown[], run: Run): Promise<string | undefined> {
  let length = 0
  const counted: Run = async (method, params) => {
    if (length > chainReplyBytesMax) {
      throw new RpcError(rpcCodes.limitExceeded, 'response too large')
    }
    return run(method, params)
  }
  const answers: string[] = []
  const running = requests.map((request) => () => answerOne(request, counted))
  for (const started of sendsTogether(requests, running)) {
    for (const answer of await started()) {
      if (answer === undefined) continue
      length += answer.length
      answers.push(answer)
    }
  }
  return answers.length === 0 ? undefined : `[${answers.join(',')}]`
}

type Start<T> = () => Promise<T>

/** Adjacent transactions run at once, other requests one by one, which bounds memory. */
function sendsTogether<T>(requests: readonly unknown[], starts: readonly Start<T>[]): Start<T[]>[] {
  const groups: Start<T>[][] = []
  let sends = false
  for (const [index, start] of starts.entries()) {
    const request = requests[index]
    const isSend = isObject(request) && request.method === 'eth_sendRawTransaction'
    const last = groups.at(-1)
    if (isSend && sends && last !== undefined) last.push(start)
    else groups.push([start])
    sends = isSend
  }
  return groups.map((group) => () => Promise.all(group.map((start) => start())))
}

async function answerOne(request: unknown, run: Run): Promise<string | undefined> {
  if (!isObject(request)) return failed(null, invalid('invalid request'))
  const { id, jsonrpc, method, params = [] } = request
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
  const given: unknown = params === null ? [] : params
  if (!isId || jsonrpc !== '2.0' || typeof method !== 'string') {
    return failed(isId ? (id ?? null) : null, invalid('invalid request'))
  }
  try {
    if (!Array.isArray(given)) {
      throw new RpcError(rpcCodes.invalidParams, 'non-array args')
    }
    const result = (await run(method, given)) ?? null
    // A request without an id expects no response.
    return id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, result })
  } catch (error) {
    return id === undefined ? undefined : failed(id, rpcErrorOf(error))
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(text: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, text)
}

/** The text of an unexpected error is hidden. */
export function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  return new RpcError(rpcCodes.internalError, 'internal error')
}

function failed(id: unknown, { code, message, data }: RpcError): string {
  const error = data === undefined ? { code, message } : { code, message, data }
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
