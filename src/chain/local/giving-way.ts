// The EVM gives way. Clients choose what it runs, which takes seconds, and without a pause
// nothing else would be answered meanwhile: so the event loop goes round behind every so much gas
// and before every call. The result is the same; only what cannot pause has a bound of its own.

import { setImmediate as breath } from 'node:timers/promises'
import type { Common } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm'
import type { VM } from '@ethereumjs/vm'

/** Gas behind which the EVM gives way: some 10 ms of the dearest kind. Rounds of one BLAKE2F. */
const chainPauseGas = 10_000
const chainHashRoundsMax = 100_000

/** Where a frame of the EVM stands. */
interface Frame {
  readonly gasLeft: bigint
}

const pauseGas = BigInt(chainPauseGas)
const jumpTarget = { opcode: 0x5b, opcodeName: 'JUMPDEST', baseFee: 1 } as const
/** BLAKE2F: a unit of gas buys a round, which takes a microsecond here. */
const roundsAddress = '0000000000000000000000000000000000000009'

/** Whatever runs long comes by a jump again and again, or by a call. */
export function givingWay(common: Common): EVMOpts {
  let frame: Frame | undefined
  let gasBefore = 0n
  const pause = (running: Frame): Promise<void> | undefined => {
    const isKnown = frame === running
    if (isKnown && gasBefore - running.gasLeft < pauseGas) return undefined
    frame = running
    gasBefore = running.gasLeft
    return isKnown ? breath() : undefined
  }
  const rounds = getActivePrecompiles(common).get(roundsAddress)
  return {
    customOpcodes: [{ ...jumpTarget, logicFunction: pause }],
    customPrecompiles:
      rounds === undefined ? [] : [{ address: `0x${roundsAddress}`, function: bounded(rounds) }],
  }
}

/** Before each call, those into the EVM's own functions among them. */
export function giveWayBeforeCalls({ evm }: VM): void {
  evm.events?.on('beforeMessage', (_message, resolve) => {
    setImmediate(() => resolve?.())
  })
}

function bounded(precompile: PrecompileFunc): PrecompileFunc {
  return (input) => {
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0] = input.data
    const rounds = b0 * 2 ** 24 + b1 * 2 ** 16 + b2 * 2 ** 8 + b3
    if (rounds <= chainHashRoundsMax) return precompile(input)
    return {
      returnValue: new Uint8Array(0),
      executionGasUsed: input.gasLimit,
      exceptionError: new EVMError(EVMError.errorMessages.OUT_OF_GAS),
    }
  }
}
