// Node driver 7 through `drive`; the address is the only argument.

import { MongoClient } from 'mongodb'
import { drive } from './drive.js'

await drive(new MongoClient(process.argv[2] ?? ''))
