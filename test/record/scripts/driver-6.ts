// Node driver 6 through `drive`; the address is the only argument.

import type { MongoClient as NewerClient } from 'mongodb'
import { MongoClient } from 'mongodb6'
import { drive } from './drive.js'

// The calls that `drive` makes are the same in both versions, and so are their types but in name.
await drive(new MongoClient(process.argv[2] ?? '') as unknown as NewerClient)
