// The error of a store whose database cannot be reached now. Clients get it as they get a shutdown,
// so that they try again or elsewhere; background jobs have to go on when the database is back.

import { GatewayError } from '../base/errors.js'

export class StoreAway extends GatewayError {
  constructor() {
    super('ShutdownInProgress', 'the database of this gateway cannot be reached now')
  }
}
