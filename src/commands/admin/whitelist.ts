// The whitelist: every client may read it, administrators change it. It has an effect only with
// WHITELIST=enforce. (docs/rights.md, "The whitelist")

import { anyValue, oneOf, string } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { requireAddress } from '../../identity/address.js'
import {
  addToWhitelist,
  listWhitelist,
  removeFromWhitelist,
} from '../../identity/rights/whitelist.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'

const getWhitelist = documentRow({
  name: 'getWhitelist',
  ...plain,
  grain: 'read',
  access: 'anonymous',
  target: anyValue,
  params: {},
  help: 'Lists the addresses of the whitelist.',
  run: (tx) => answer(tx),
})

const setWhitelist = documentRow({
  name: 'setWhitelist',
  ...plain,
  grain: 'point',
  access: 'admin',
  target: anyValue,
  params: { address: string, action: oneOf(['add', 'remove']) },
  audit: ({ args: { address, action } }) => ({ address, action }),
  help: 'Adds an address to the whitelist, or removes it. Both may be repeated.',
  *run(tx, { args }) {
    const address = requireAddress(args.address, 'address')
    if (args.action === 'add') yield* addToWhitelist(tx, address)
    else removeFromWhitelist(tx, address)
    return reply((writer) => writer.string('address', address))
  },
})

function* answer(tx: ReadTx): Program<Document> {
  const addresses = yield* listWhitelist(tx)
  return reply((writer) => {
    writer.openArray('addresses')
    for (const [index, address] of addresses.entries()) writer.string(String(index), address)
    writer.close()
  })
}

export const whitelistRows = [getWhitelist, setWhitelist]
