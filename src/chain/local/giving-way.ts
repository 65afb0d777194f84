// Makes the EVM pause. Clients choose its code, which may run for seconds and would block
// everything else. So the event loop runs after a fixed amount of gas and before every call.
// Results are the same; an operation that cannot pause has a separate bound.

import { setImmediate as breath } from 'node:timers/promises'
import type { Common } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm'
import type { VM } from '@ethereumjs/vm'

/** Gas between pauses: about 10 ms of the slowest operations. Rounds of one BLAKE2F. */
const chainPauseGas = 10_000
const chainHashRoundsMax = 100_000

/** The position of an EVM frame. */
interface Frame {
  readonly gasLeft: bigint
}

const pauseGas = BigInt(chainPauseGas)
const jumpTarget = { opcode: 0x5b, opcodeName: 'JUMPDEST', baseFee: 1 } as const
/** BLAKE2F: one unit of gas pays one round, which takes a microsecond here. */
const roundsAddress = '0000000000000000000000000000000000000009'

/** Long-running code always reaches a jump, or a call. */
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

/** Pauses before each call, also of precompiles. */
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
